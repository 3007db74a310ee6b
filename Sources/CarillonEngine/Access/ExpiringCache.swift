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
final class CachedLookup<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let cache: NIOLockedValueBox<ExpiringCache<Key, Value>>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        capacity: Int,
        lifetime: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        cache = NIOLockedValueBox(ExpiringCache(capacity: capacity, lifetime: lifetime))
        self.now = now
    }

    /// The value of a key, looked up if it is not known.
    ///
    /// A key without a value is looked up every time.
    func value<Failure: Error>(
        of key: Key,
        else lookUp: () async throws(Failure) -> Value?
    ) async throws(Failure) -> Value? {
        let (known, epoch) = cache.withLockedValue { ($0.value(key, now: now()), $0.epoch) }
        if let known { return known }
        guard let value = try await lookUp() else { return nil }
        cache.withLockedValue { $0.insert(key, value, epoch: epoch, now: now()) }
        return value
    }

    func invalidate(where isStale: @Sendable (Key, Value) -> Bool) {
        cache.withLockedValue { $0.invalidate(where: isStale) }
    }
}
