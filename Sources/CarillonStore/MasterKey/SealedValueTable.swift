import CarillonSQL

/// Values that the master key seals, in SQL on one connection.
struct SealedValueTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var sealedValues: SealedValueTable { SealedValueTable(connection: self) }
}
