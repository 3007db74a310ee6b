import CarillonSQL

/// Devices, in SQL on one connection.
struct DeviceTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var devices: DeviceTable { DeviceTable(connection: self) }
}
