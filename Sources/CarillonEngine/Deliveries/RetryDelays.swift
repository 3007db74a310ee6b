/// Until when what failed is left alone, by this process's monotonic clock.
///
/// It saves attempts; how often something failed, the store knows too.
package struct RetryDelays<Key: Hashable & Sendable>: Sendable {
    private struct Delay: Sendable {
        var failures: Int
        var end: ContinuousClock.Instant
    }

    /// How many failures are remembered.
    private static var capacity: Int { 10_000 }

    private var delays: [Key: Delay] = [:]

    package init() {}

    /// How often something failed in a row.
    package func failures(of key: Key) -> Int { delays[key]?.failures ?? 0 }

    /// Whether something is to be left alone.
    package func isWaiting(_ key: Key, at now: ContinuousClock.Instant) -> Bool {
        delays[key].map { $0.end > now } ?? false
    }

    /// When the first of them may be tried again, of those that may not now.
    package func nextEnd(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        delays.values.lazy.map(\.end).filter { $0 > now }.min()
    }

    /// Leaves something alone for a time.
    package mutating func set(_ key: Key, failures: Int, until end: ContinuousClock.Instant) {
        if delays.count >= Self.capacity, delays[key] == nil { delays.removeAll() }
        delays[key] = Delay(failures: failures, end: end)
    }

    package mutating func remove(_ key: Key) { delays[key] = nil }
}
