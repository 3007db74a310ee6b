import CarillonSQL

/// Categories and the labels that apps report, in SQL on one connection.
struct CategoryTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var categories: CategoryTable { CategoryTable(connection: self) }
}
