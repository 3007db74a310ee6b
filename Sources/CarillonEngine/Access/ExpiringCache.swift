import NIOConcurrencyHelpers

/// A bounded cache whose entries are valid for a short time.
///
/// A pure value; the caller synchronizes access. It has two generations: when the younger one is full it becomes the
/// older one, and entries that are read again move back up. A lookup carries the ``epoch`` in which it began, so one
/// that began before ``invalidate(where:)`` cannot insert an outdated value.
struct ExpiringCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        var expiry: ContinuousClock.Instant
    }

    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private let generationCapacity: Int
    private let lifetime: Duration

    /// Incremented by every invalidation.
    private(set) var epoch: UInt64 = 0

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of entries, at least 2.
    ///   - lifetime: How long an entry is valid.
    init(capacity: Int, lifetime: Duration) {
        generationCapacity = max(1, capacity / 2)
        self.lifetime = lifetime
    }

    var count: Int { young.count + old.count }

    mutating func value(_ key: Key, now: ContinuousClock.Instant) -> Value? {
        if let entry = young[key] { return entry.expiry > now ? entry.value : nil }
        guard let entry = old.removeValue(forKey: key), entry.expiry > now else { return nil }
        insert(key, entry)
        return entry.value
    }

    /// Inserts a value, unless an invalidation happened since its lookup began.
    mutating func insert(_ key: Key, _ value: Value, epoch: UInt64, now: ContinuousClock.Instant) {
        guard epoch == self.epoch else { return }
        insert(key, Entry(value: value, expiry: now + lifetime))
    }

    /// Removes values.
    mutating func invalidate(where isStale: (Key, Value) -> Bool) {
        epoch += 1
        young = young.filter { !isStale($0.key, $0.value.value) }
        old = old.filter { !isStale($0.key, $0.value.value) }
    }

    private mutating func insert(_ key: Key, _ entry: Entry) {
        if young.count >= generationCapacity, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = entry
    }
}

/// An ``ExpiringCache`` in front of a store.
///
/// Misses can be cached too, so that invalid keys do not query the store each time. Use this only for random keys,
/// which nobody reads before they exist.
final class CachedLookup<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: ExpiringCache<Key, Value>
        var misses: ExpiringCache<Key, Bool>?
    }

    private let state: NIOLockedValueBox<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of values, at least 2, and of misses.
    ///   - lifetime: How long a value is valid.
    ///   - missLifetime: How long a miss is valid; `nil` does not cache misses.
    ///   - now: The monotonic clock.
    init(
        capacity: Int,
        lifetime: Duration,
        missLifetime: Duration? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        state = NIOLockedValueBox(
            State(
                values: ExpiringCache(capacity: capacity, lifetime: lifetime),
                misses: missLifetime.map { ExpiringCache(capacity: capacity, lifetime: $0) }
            )
        )
        self.now = now
    }

    /// Returns the value of a key, from the cache or by a lookup.
    func value<Failure: Error>(
        of key: Key,
        else lookUp: () async throws(Failure) -> Value?
    ) async throws(Failure) -> Value? {
        let (known, isMiss, epoch) = state.withLockedValue { state in
            let now = now()
            let known = state.values.value(key, now: now)
            return (known, known == nil && state.misses?.value(key, now: now) != nil, state.values.epoch)
        }
        if known != nil || isMiss { return known }
        let value = try await lookUp()
        state.withLockedValue { state in
            if let value {
                state.values.insert(key, value, epoch: epoch, now: now())
            } else if epoch == state.values.epoch {
                state.misses?.insert(key, true, epoch: 0, now: now())
            }
        }
        return value
    }

    /// Whether the cache has a value of a key.
    func hasValue(of key: Key) -> Bool { state.withLockedValue { $0.values.value(key, now: now()) != nil } }

    func invalidate(where isStale: @Sendable (Key, Value) -> Bool) {
        state.withLockedValue { $0.values.invalidate(where: isStale) }
    }
}
