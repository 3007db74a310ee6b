import NIOConcurrencyHelpers

/// The Chunks that a dispatcher sends, with what they are of.
final class ChunksUnderWay: Sendable {
    private let contexts = NIOLockedValueBox<[ChunkKey: OccurrenceContext]>([:])

    func insert(_ chunk: ChunkRunner) { contexts.withLockedValue { $0[chunk.lease.chunk] = chunk.context } }

    func remove(_ chunk: ChunkRunner) { contexts.withLockedValue { $0[chunk.lease.chunk] = nil } }

    /// How many are of Occurrences of which nothing was accepted yet.
    var unprovenCount: Int { contexts.withLockedValue { $0.values.count { !$0.isProven } } }
}
