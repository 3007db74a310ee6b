import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Chunks and their leases, in SQL on one connection.
struct ChunkTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var chunks: ChunkTable { ChunkTable(connection: self) }
}

extension ChunkTable {
    /// Whether a lease holds; until the commit nobody else can have the Chunk.
    ///
    /// - Returns: False when the lease passed on or the Chunk is over.
    func holds(_ lease: Lease) throws -> Bool {
        let found = try connection.first(
            connection.dialect.pick(
                sqlite: """
                    SELECT 1 FROM chunks WHERE app_id = $1 AND occurrence_id = $2 AND chunk = $3 AND fence = $4
                    """,
                postgreSQL: """
                    SELECT 1 FROM chunks WHERE app_id = $1 AND occurrence_id = $2 AND chunk = $3 AND fence = $4
                    FOR UPDATE
                    """
            ),
            lease.chunk.app,
            lease.chunk.occurrence,
            lease.chunk.number,
            lease.fence
        ) { _ in true }
        return found ?? false
    }

    func state(of lease: Lease) throws -> Campaign.State {
        let state = try connection.first(
            "SELECT state FROM occurrences WHERE app_id = $1 AND id = $2",
            lease.chunk.app,
            lease.chunk.occurrence,
            as: String.self
        )
        guard let state = state.flatMap(Occurrence.State.init(rawValue:)) else {
            throw StoreError.failed("A chunk's Occurrence is gone.")
        }
        return state.campaignState
    }

    func makeChunk(
        _ range: ChunkRange,
        of wave: OpenWave,
        owner: DispatcherSession
    ) throws -> Lease? {
        let number = try connection.first(
            "UPDATE occurrences SET next_chunk = next_chunk + 1 WHERE app_id = $1 AND id = $2 RETURNING next_chunk - 1",
            wave.app,
            wave.occurrence,
            as: Int64.self
        )
        guard let number else { return nil }
        let key = ChunkKey(app: wave.app, occurrence: wave.occurrence, number: number)
        let lease = Lease(chunk: key, campaign: wave.campaign, range: range, fence: 1)
        try connection.run("INSERT INTO chunks (\(ChunkColumn.list), beat) VALUES (\(ChunkColumn.parameters), 0)") {
            (row: SQLParameters<ChunkColumn>) in
            row.bind(key.app, to: .appID)
            row.bind(key.occurrence, to: .occurrenceID)
            row.bind(key.number, to: .chunk)
            row.bind(lease.campaign, to: .campaignID)
            range.bind(to: row)
            row.bind(owner, to: .owner)
            row.bind(lease.fence, to: .fence)
            row.bind(lease.hasHalted ? true : nil, to: .hasHalted)
        }
        return lease
    }
}
