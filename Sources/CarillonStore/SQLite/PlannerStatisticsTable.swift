import CarillonSQL

/// Statistics of SQLite's planner, in SQL on one connection.
struct PlannerStatisticsTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var plannerStatistics: PlannerStatisticsTable { PlannerStatisticsTable(connection: self) }
}
