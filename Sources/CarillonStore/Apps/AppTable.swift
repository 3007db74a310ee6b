import CarillonSQL

/// Apps, their keys and secrets, in SQL on one connection.
struct AppTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var apps: AppTable { AppTable(connection: self) }
}
