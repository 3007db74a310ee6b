import CarillonSQL

/// Events that apps report, in SQL on one connection.
struct EventTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var events: EventTable { EventTable(connection: self) }
}
