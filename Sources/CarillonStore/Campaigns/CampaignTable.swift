import CarillonSQL

/// Campaigns, in SQL on one connection.
struct CampaignTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var campaigns: CampaignTable { CampaignTable(connection: self) }
}
