import CarillonSQL

/// Saved audiences and the names that their conditions use, in SQL on one connection.
struct AudienceTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var audiences: AudienceTable { AudienceTable(connection: self) }
}
