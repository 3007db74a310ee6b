import CarillonSQL

/// VoIP tokens of Devices, in SQL on one connection.
struct VoIPTokenTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var voipTokens: VoIPTokenTable { VoIPTokenTable(connection: self) }
}
