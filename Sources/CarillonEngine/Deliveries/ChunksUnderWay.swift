import NIOConcurrencyHelpers

/// The Chunks that a dispatcher is sending, with their Occurrences.
final class ChunksUnderWay: Sendable {
    private let contexts = NIOLockedValueBox<[ChunkKey: OccurrenceContext]>([:])

    func insert(_ chunk: ChunkRunner) { contexts.withLockedValue { $0[chunk.lease.chunk] = chunk.context } }

    func remove(_ chunk: ChunkRunner) { contexts.withLockedValue { $0[chunk.lease.chunk] = nil } }

    /// How many belong to Occurrences without an accepted notification yet.
    var unprovenCount: Int { contexts.withLockedValue { $0.values.count { !$0.isProven } } }
}
