import CarillonSQL

/// Statistics and their keys, in SQL on one connection.
struct StatisticsTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var statistics: StatisticsTable { StatisticsTable(connection: self) }
}
