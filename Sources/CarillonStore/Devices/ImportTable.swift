import CarillonSQL

/// Imported Devices, in SQL on one connection.
struct ImportTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var imports: ImportTable { ImportTable(connection: self) }
}
