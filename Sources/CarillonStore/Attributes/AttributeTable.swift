import CarillonSQL

/// Attributes of Devices and Users, in SQL on one connection.
struct AttributeTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var attributes: AttributeTable { AttributeTable(connection: self) }
}
