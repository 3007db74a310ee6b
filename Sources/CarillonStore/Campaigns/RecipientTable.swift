import CarillonSQL

/// The recipients that a Campaign lists, in SQL on one connection.
struct RecipientTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var recipients: RecipientTable { RecipientTable(connection: self) }
}
