import CarillonSQL

/// API keys, in SQL on one connection.
struct APIKeyTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var apiKeys: APIKeyTable { APIKeyTable(connection: self) }
}
