import CarillonSQL

/// Users, in SQL on one connection.
struct UserTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var users: UserTable { UserTable(connection: self) }
}
