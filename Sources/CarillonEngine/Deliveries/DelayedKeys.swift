/// Until when failed work is delayed, by this process's monotonic clock.
///
/// It saves attempts; the store also counts failures.
package struct DelayedKeys<Key: Hashable & Sendable>: Sendable {
    private struct Delay: Sendable {
        var failures: Int
        var end: ContinuousClock.Instant
    }

    /// Maximum number of stored failures.
    private static var capacity: Int { 10_000 }

    private var delays: [Key: Delay] = [:]

    package init() {}

    /// How often in a row a key failed.
    package func failures(of key: Key) -> Int { delays[key]?.failures ?? 0 }

    /// Whether a key is delayed.
    package func isWaiting(_ key: Key, at now: ContinuousClock.Instant) -> Bool {
        delays[key].map { $0.end > now } ?? false
    }

    /// The earliest end of the delays that are not over.
    package func nextEnd(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        delays.values.lazy.map(\.end).filter { $0 > now }.min()
    }

    /// Delays a key.
    package mutating func set(_ key: Key, failures: Int, until end: ContinuousClock.Instant) {
        if delays.count >= Self.capacity, delays[key] == nil { delays.removeAll() }
        delays[key] = Delay(failures: failures, end: end)
    }

    package mutating func remove(_ key: Key) { delays[key] = nil }
}
