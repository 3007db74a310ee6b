import CarillonSQL

/// Restored backups, in SQL on one connection.
struct RestoreTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var restores: RestoreTable { RestoreTable(connection: self) }
}
