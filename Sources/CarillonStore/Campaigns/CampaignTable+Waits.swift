import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension CampaignTable {
    /// Campaigns with since when they wait for the store, as any node says.
    ///
    /// The table is empty unless the store is in trouble, so it is read whole and once.
    func withWaits(_ campaigns: [Campaign]) throws -> [Campaign] {
        guard campaigns.contains(where: { $0.startedAt != nil }) else { return campaigns }
        let waits = try connection.all(
            "SELECT campaign_id, MIN(since) FROM dispatcher_waits GROUP BY campaign_id ORDER BY campaign_id LIMIT 10000",
            as: (CampaignID, Timestamp).self
        )
        guard !waits.isEmpty else { return campaigns }
        let since = Dictionary(waits, uniquingKeysWith: min)
        var campaigns = campaigns
        for place in campaigns.indices { campaigns[place].waitingForStoreSince = since[campaigns[place].id] }
        return campaigns
    }

    /// Since when an Occurrence waits for the store; `nil` when it does not.
    func waitingSince(_ occurrence: OccurrenceID, of campaign: CampaignID) throws -> Timestamp? {
        try connection.first(
            "SELECT MIN(since) FROM dispatcher_waits WHERE campaign_id = $1 AND occurrence_id = $2",
            campaign,
            occurrence,
            as: Timestamp?.self
        ) ?? nil
    }
}
