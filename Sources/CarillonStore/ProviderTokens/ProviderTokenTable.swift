import CarillonSQL

/// Provider tokens that nodes share, in SQL on one connection.
struct ProviderTokenTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var providerTokens: ProviderTokenTable { ProviderTokenTable(connection: self) }
}
