package import CarillonSQL

/// Deliveries and their outcomes, in SQL on one connection.
package struct DeliveryTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    package var deliveries: DeliveryTable { DeliveryTable(connection: self) }
}
