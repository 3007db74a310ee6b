import CarillonSQL

/// Requests that may be repeated under one key, in SQL on one connection.
struct IdempotencyTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var idempotencyKeys: IdempotencyTable { IdempotencyTable(connection: self) }
}
