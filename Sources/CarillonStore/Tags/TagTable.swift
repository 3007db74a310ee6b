import CarillonSQL

/// Tags and the tags of Users, in SQL on one connection.
struct TagTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var tags: TagTable { TagTable(connection: self) }
}
