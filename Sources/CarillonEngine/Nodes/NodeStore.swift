package import CarillonModel
package import CarillonOperatorModel

/// A node as it is stored.
package struct StoredNode: Hashable, Sendable {
    package var id: NodeID
    package var facts: NodeFacts
    package var seenAt: Timestamp
    /// How long ago that is, by the store's clock.
    package var age: Duration
    /// By how many milliseconds its clock is ahead of the store's; `nil` where there is one clock.
    package var clockOffset: Int?
    package var quietSince: Timestamp?
    package var quietBy: String?
    /// Chunks that its dispatchers have leased.
    package var chunks: Int

    package init(id: NodeID, facts: NodeFacts, seenAt: Timestamp, age: Duration, chunks: Int) {
        (self.id, self.facts, self.seenAt, self.age, self.chunks) = (id, facts, seenAt, age, chunks)
    }
}

/// The work of all nodes at one instant; counts end at ``limit`` + 1.
package struct WorkFigures: Hashable, Sendable {
    /// Beyond this a count is not exact.
    package static let limit = 10_000

    /// Waves of which more is due.
    package var dueWaves = 0
    /// Since when the first of them is due.
    package var oldestWave: Timestamp?
    /// Chunks that a dispatcher has.
    package var leasedChunks = 0
    /// Chunks that were given back and may be leased.
    package var freeChunks = 0
    /// Notifications that are tried again within a minute.
    package var soonRetries = 0
    /// When the next is tried again.
    package var nextRetry: Timestamp?

    package init() {}
}

/// A statement that took long.
package struct SlowStatement: Hashable, Sendable {
    /// The statement, with places for its values.
    package var text: String
    /// How often it took long.
    package var runs: Int
    /// The longest time.
    package var longest: Duration
    /// The sum of those times.
    package var total: Duration

    package init(text: String, runs: Int, longest: Duration, total: Duration) {
        (self.text, self.runs, self.longest, self.total) = (text, runs, longest, total)
    }
}

/// The store at one instant.
package struct StoreFigures: Hashable, Sendable {
    /// `SQLite` or `PostgreSQL`, with the version.
    package var kind = ""
    /// The size of the database in bytes.
    package var bytes = 0
    /// The size of SQLite's write-ahead log.
    package var logBytes: Int?
    /// When PostgreSQL last archived a segment of its log.
    package var archivedAt: Timestamp?
    /// The partitions with their sizes, the latest first.
    package var partitions: [Partition] = []
    /// The slowest statements since the node began, the slowest first.
    package var slow: [SlowStatement] = []

    /// A partition of a table.
    package struct Partition: Hashable, Sendable {
        package var name: String
        package var bytes: Int

        package init(name: String, bytes: Int) { (self.name, self.bytes) = (name, bytes) }
    }

    package init() {}
}

/// Stores what nodes report of themselves, and reads what they have to do.
package protocol NodeStore: Sendable {
    /// This process.
    var id: NodeID { get }

    /// Stores a heartbeat of this process.
    ///
    /// - Returns: Whether an admin quieted it.
    func beat(_ facts: NodeFacts, at now: Timestamp) async throws(StoreError) -> Bool

    /// Removes this process, which ends.
    func leave() async throws(StoreError)

    /// Returns all nodes that were seen in the last day, by the time of their start.
    func nodes(at now: Timestamp) async throws(StoreError) -> [StoredNode]

    /// Quiets a node, or lets it work again.
    ///
    /// - Returns: False when there is no such node.
    func setQuiet(_ node: NodeID, since: Timestamp?, by actor: String?) async throws(StoreError) -> Bool

    /// Ends the sessions of a node's dispatchers: their Chunks are free, and their next commits are refused.
    func releaseLeases(of node: NodeID) async throws(StoreError)

    /// Counts the work.
    func work(at now: Timestamp) async throws(StoreError) -> WorkFigures

    /// Reads sizes, partitions and the slowest statements.
    func figures() async throws(StoreError) -> StoreFigures
}
