import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import NIOConcurrencyHelpers

/// Nodes in SQL.
///
/// An SQLite file has one process: what that reports stays in its memory.
struct NodeRepository: NodeStore {
    /// What the only process of a file reports.
    private struct Own {
        var facts: NodeFacts?
        var seenAt = Timestamp(rawValue: 0)
        var quietSince: Timestamp?
        var quietBy: String?
    }

    /// A node is shown for a day after its last heartbeat.
    private static let memory = Duration.seconds(86_400)

    let database: any Database
    let id: NodeID
    private let own = NIOLockedValueBox(Own())

    init(database: any Database, process: Int64) {
        self.database = database
        id = NodeID(rawValue: process)
    }

    func beat(_ facts: NodeFacts, at now: Timestamp) async throws(StoreError) -> Bool {
        guard database.dialect == .postgreSQL else {
            return own.withLockedValue { own in
                (own.facts, own.seenAt) = (facts, now)
                return own.quietSince != nil
            }
        }
        let id = id
        return try await database.write(priority: .heartbeat) { connection in
            let quiet = try connection.first(
                """
                INSERT INTO nodes (process, facts, clock, seen_at)
                VALUES ($1, $2, $3, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT))
                ON CONFLICT (process) DO UPDATE SET facts = excluded.facts, clock = excluded.clock,
                    seen_at = excluded.seen_at
                RETURNING quiet_at
                """,
                id,
                try JSONColumn(facts),
                now,
                as: Timestamp?.self
            )
            return (quiet ?? nil) != nil
        }
    }

    func leave() async throws(StoreError) {
        guard database.dialect == .postgreSQL else { return own.withLockedValue { $0.facts = nil } }
        let id = id
        try await database.write(priority: .heartbeat) { connection in
            _ = try connection.run("DELETE FROM nodes WHERE process = $1", id)
        }
    }

    func nodes(at now: Timestamp) async throws(StoreError) -> [StoredNode] {
        let chunks = try await chunkCounts()
        guard database.dialect == .postgreSQL else {
            return own.withLockedValue { own in
                guard let facts = own.facts else { return [] }
                let age = own.seenAt.duration(to: now)
                var node = StoredNode(id: id, facts: facts, seenAt: own.seenAt, age: age, chunks: chunks[id] ?? 0)
                (node.quietSince, node.quietBy) = (own.quietSince, own.quietBy)
                return [node]
            }
        }
        return try await database.read { connection in
            try connection.nodes.all(seenSince: Self.memory).map { node in
                var node = node
                node.chunks = chunks[node.id] ?? 0
                return node
            }
        }
    }

    func setQuiet(_ node: NodeID, since: Timestamp?, by actor: String?) async throws(StoreError) -> Bool {
        guard database.dialect == .postgreSQL else {
            return own.withLockedValue { own in
                guard node == id, own.facts != nil else { return false }
                (own.quietSince, own.quietBy) = (since, actor)
                return true
            }
        }
        return try await database.write { connection in
            try connection.run(
                "UPDATE nodes SET quiet_at = $1, quiet_by = $2 WHERE process = $3",
                since,
                actor,
                node
            ) == 1
        }
    }

    func releaseLeases(of node: NodeID) async throws(StoreError) {
        try await database.write { connection in
            let sessions = try connection.all(
                "SELECT owner FROM dispatcher_sessions WHERE process = $1 LIMIT 100",
                node,
                as: DispatcherSession.self
            )
            for session in sessions {
                try connection.run("DELETE FROM dispatcher_waits WHERE owner = $1", session)
                try connection.run("DELETE FROM dispatcher_sessions WHERE owner = $1", session)
            }
        }
    }

    // MARK: - Private

    /// How many Chunks each process has leased.
    private func chunkCounts() async throws(StoreError) -> [NodeID: Int] {
        let counts = try await database.read { connection in
            try connection.all(
                """
                SELECT s.process, COUNT(*) FROM dispatcher_sessions s JOIN chunks k ON k.owner = s.owner
                GROUP BY s.process LIMIT 1000
                """,
                as: (NodeID, Int64).self
            )
        }
        return Dictionary(counts.map { ($0, Int($1)) }, uniquingKeysWith: +)
    }
}

/// Nodes in SQL, on one connection.
struct NodeTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var nodes: NodeTable { NodeTable(connection: self) }
}

/// The columns of `nodes`, and how long ago the last heartbeat was.
private enum NodeColumn: Int, SQLColumn { case process, facts, clock, seenAt, quietAt, quietBy, age }

extension NodeTable {
    /// The nodes that were seen in a time, by the database's clock, in the order of their starts; the others are over.
    fileprivate func all(seenSince time: Duration) throws -> [StoredNode] {
        try connection.all(
            """
            SELECT n.process, n.facts, n.clock, n.seen_at, n.quiet_at, n.quiet_by,
                CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) - n.seen_at
            FROM nodes n
            WHERE n.seen_at > CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) - $1
            ORDER BY n.process LIMIT 200
            """,
            Int64(time.components.seconds) * 1_000
        ) { (row: SQLRow<NodeColumn>) in
            let (seenAt, clock): (Timestamp, Timestamp) = (try row[.seenAt], try row[.clock])
            let (facts, age): (JSONColumn<NodeFacts>, Int64) = (try row[.facts], try row[.age])
            var node = StoredNode(
                id: try row[.process],
                facts: facts.value,
                seenAt: seenAt,
                age: .milliseconds(age),
                chunks: 0
            )
            node.clockOffset = Int(clock.rawValue - seenAt.rawValue)
            node.quietSince = try row[.quietAt]
            node.quietBy = try row[.quietBy]
            return node
        }
    }
}
