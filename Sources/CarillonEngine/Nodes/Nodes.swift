import CarillonModel
package import CarillonOperatorModel

/// The nodes of the server, their work and their store.
package struct Nodes: Sendable {
    /// How often a node shows that it lives.
    package static let beatTime = Duration.seconds(5)
    /// After this time without a heartbeat a node is lost.
    package static let lostAfter = Duration.seconds(20)

    private let store: any NodeStore
    private let clock: any WallClock

    /// Creates the service.
    package init(store: any NodeStore, clock: any WallClock) { (self.store, self.clock) = (store, clock) }

    /// The node that answers.
    package var own: NodeID { store.id }

    /// Returns all nodes that were seen in the last day, in the order of their starts.
    package func list() async throws(EngineError) -> [Node] {
        let now = clock.now()
        return try await stored(try await store.nodes(at: now)).map { found in
            var node = Node(
                id: found.id,
                found.facts,
                seenAt: found.seenAt,
                isLost: found.age > Self.lostAfter,
                chunks: found.chunks
            )
            (node.clockOffset, node.quietSince, node.quietBy) = (found.clockOffset, found.quietSince, found.quietBy)
            return node
        }
    }

    /// Returns a page of nodes in the order of their ids, whose cursor is the last one's.
    ///
    /// - Parameters:
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: The page.
    /// - Throws: ``EngineError/store(_:)``.
    package func page(after: NodeID?, limit: Int) async throws(EngineError) -> Page<Node> {
        let limit = min(max(1, limit), 200)
        let rest = try await list().sorted { $0.id < $1.id }.filter { node in after.map { node.id > $0 } ?? true }
        return Page(Array(rest.prefix(limit + 1)), limit: limit) { $0.id.description }
    }

    /// Returns a node.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is none.
    package func node(_ id: NodeID) async throws(EngineError) -> Node {
        guard let node = try await list().first(where: { $0.id == id }) else { throw .notFound(.node) }
        return node
    }

    /// Quiets a node: within some seconds it gives its Chunks back and takes no new ones, until it is woken or ends.
    ///
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/conflict(_:)`` when no other node would send.
    package func quiet(_ id: NodeID, by actor: String?) async throws(EngineError) -> Node {
        let others = try await list().filter { $0.id != id }
        guard others.contains(where: { !$0.isLost && $0.quietSince == nil && $0.role != "api" }) else {
            _ = try await node(id)
            throw .conflict("No other node sends: pause the sending of an App instead.")
        }
        return try await setQuiet(id, since: clock.now(), by: actor)
    }

    /// Lets a quiet node work again.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func wake(_ id: NodeID) async throws(EngineError) -> Node { try await setQuiet(id, since: nil, by: nil) }

    /// Frees all Chunks of a node for others.
    ///
    /// Its next commits are refused: what it has sent and not committed is sent again.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func releaseLeases(of id: NodeID) async throws(EngineError) -> Node {
        _ = try await node(id)
        try await stored(try await store.releaseLeases(of: id))
        return try await node(id)
    }

    /// Counts the work.
    package func work() async throws(EngineError) -> WorkFigures {
        try await stored(try await store.work(at: clock.now()))
    }

    /// Reads sizes, partitions and the slowest statements.
    package func storeFigures() async throws(EngineError) -> StoreFigures {
        try await stored(try await store.figures())
    }

    private func setQuiet(_ id: NodeID, since: Timestamp?, by actor: String?) async throws(EngineError) -> Node {
        guard try await stored(try await store.setQuiet(id, since: since, by: actor)) else { throw .notFound(.node) }
        return try await node(id)
    }
}
