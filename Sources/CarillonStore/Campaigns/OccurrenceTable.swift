import CarillonSQL

/// Occurrences of Campaigns and their Waves, in SQL on one connection.
struct OccurrenceTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var occurrences: OccurrenceTable { OccurrenceTable(connection: self) }
}
