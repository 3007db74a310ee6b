package import CarillonSQL

/// Device tokens and who holds them, in SQL on one connection.
package struct DeviceTokenTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    package var deviceTokens: DeviceTokenTable { DeviceTokenTable(connection: self) }
}
