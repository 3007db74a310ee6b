import CarillonSQL

/// Chunks and their leases, in SQL on one connection.
struct ChunkTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var chunks: ChunkTable { ChunkTable(connection: self) }
}
