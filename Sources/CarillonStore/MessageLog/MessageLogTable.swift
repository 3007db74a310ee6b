import CarillonSQL

/// The log of messages, in SQL on one connection.
struct MessageLogTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var messageLog: MessageLogTable { MessageLogTable(connection: self) }
}
