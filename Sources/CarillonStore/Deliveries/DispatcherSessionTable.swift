import CarillonSQL

/// Sessions of dispatchers, in SQL on one connection.
struct DispatcherSessionTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var dispatcherSessions: DispatcherSessionTable { DispatcherSessionTable(connection: self) }
}
