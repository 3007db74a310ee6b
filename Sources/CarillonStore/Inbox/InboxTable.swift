import CarillonSQL

/// Inboxes of Devices and Users, in SQL on one connection.
struct InboxTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var inboxes: InboxTable { InboxTable(connection: self) }
}
