import CarillonSQL

/// The vendor APIs that Apps have turned on, in SQL on one connection.
struct VendorAPITable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var vendorAPIs: VendorAPITable { VendorAPITable(connection: self) }
}
