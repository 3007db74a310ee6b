import CarillonSQL

/// The history of consents, in SQL on one connection.
struct ConsentTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var consents: ConsentTable { ConsentTable(connection: self) }
}
