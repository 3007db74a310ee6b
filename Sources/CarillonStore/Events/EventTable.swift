import CarillonSQL

/// The columns of `events`.
enum EventColumn: Int, SQLColumn {
    case appID, occurrenceID, deviceNumber, kind, action, occurredAt, reply, latitude, longitude
}

/// Events that apps report, in SQL on one connection.
struct EventTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var events: EventTable { EventTable(connection: self) }
}
