import NIOConcurrencyHelpers

/// A bounded cache whose entries are trusted for a short time.
///
/// A pure value; the caller guards it. It holds two generations: when the younger one is full it becomes the older
/// one, and what is still asked for moves back up. A look-up that began before ``invalidate(where:)`` cannot bring back
/// what was thrown away: it carries the ``epoch`` it began in.
struct ExpiringCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        var expiry: ContinuousClock.Instant
    }

    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private let generationCapacity: Int
    private let lifetime: Duration

    /// Grows with every invalidation.
    private(set) var epoch: UInt64 = 0

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The most entries it holds, 2 or more.
    ///   - lifetime: How long an entry is trusted.
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

    /// Keeps a value that was looked up, unless something was invalidated since the look-up began.
    mutating func insert(_ key: Key, _ value: Value, epoch: UInt64, now: ContinuousClock.Instant) {
        guard epoch == self.epoch else { return }
        insert(key, Entry(value: value, expiry: now + lifetime))
    }

    /// Throws values away at once.
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
/// That a key has no value can be remembered too: keys that are none ask the store each time otherwise. It is only for
/// random keys, which nobody asks for before they are made.
final class CachedLookup<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: ExpiringCache<Key, Value>
        var misses: ExpiringCache<Key, Bool>?
    }

    private let state: NIOLockedValueBox<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The most values it holds, 2 or more, and the most keys without one.
    ///   - lifetime: How long a value is trusted.
    ///   - missLifetime: How long it is remembered that a key has none; `nil` does not.
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

    /// The value of a key, looked up if nothing is known of it.
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

    /// Whether a value of a key is known without a look-up.
    func hasValue(of key: Key) -> Bool { state.withLockedValue { $0.values.value(key, now: now()) != nil } }

    func invalidate(where isStale: @Sendable (Key, Value) -> Bool) {
        state.withLockedValue { $0.values.invalidate(where: isStale) }
    }
}
