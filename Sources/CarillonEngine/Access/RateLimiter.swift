/// Token buckets, one per key: each holds a burst and refills at a rate.
///
/// A pure value of bounded size; the caller synchronizes access and passes the time. When there are too many keys, full
/// buckets are removed, which loses nothing; if none is full, unknown keys share one bucket.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket: Sendable {
        var level: Double
        var filledAt: ContinuousClock.Instant
    }

    private let rate: Double
    private let burst: Double
    private let capacity: Int
    private var buckets: [Key: Bucket] = [:]
    private var shared: Bucket?
    private var sweptAt: ContinuousClock.Instant?

    /// Creates full buckets.
    ///
    /// - Parameters:
    ///   - rate: Tokens per second, above 0.
    ///   - burst: The size of a bucket, at least 1.
    ///   - capacity: The maximum number of keys with a bucket, at least 1.
    package init(rate: Double, burst: Double, capacity: Int) {
        precondition(rate > 0 && burst >= 1 && capacity >= 1, "A rate limit must let something through.")
        self.rate = rate
        self.burst = burst
        self.capacity = capacity
    }

    /// The number of keys with a bucket.
    package var count: Int { buckets.count }

    /// Whether a key has a bucket.
    package func contains(_ key: Key) -> Bool { buckets[key] != nil }

    /// Removes one token from a key's bucket.
    ///
    ///   - Parameters:
    ///   - key: The bucket's key.
    ///   - now: The monotonic time.
    /// - Returns: `nil` when the request may pass; otherwise the time until it may.
    package mutating func consume(_ key: Key, now: ContinuousClock.Instant) -> Duration? {
        if buckets[key] == nil, buckets.count >= capacity { sweep(now) }
        let isKnown = buckets[key] != nil || buckets.count < capacity
        var bucket = (isKnown ? buckets[key] : shared) ?? Bucket(level: burst, filledAt: now)
        let wait = consume(&bucket, now)
        if isKnown { buckets[key] = bucket } else { shared = bucket }
        return wait
    }

    /// The time until a key's bucket has a token; `nil` when it has one.
    package func delay(of key: Key, now: ContinuousClock.Instant) -> Duration? {
        let isKnown = buckets[key] != nil || buckets.count < capacity
        guard var bucket = isKnown ? buckets[key] : shared else { return nil }
        return consume(&bucket, now)
    }

    private func consume(_ bucket: inout Bucket, _ now: ContinuousClock.Instant) -> Duration? {
        bucket.level = level(bucket, now)
        bucket.filledAt = max(now, bucket.filledAt)
        guard bucket.level >= 1 else { return .seconds((1 - bucket.level) / rate) }
        bucket.level -= 1
        return nil
    }

    private func level(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
        let elapsed = max(.zero, bucket.filledAt.duration(to: now))
        return min(burst, bucket.level + elapsed / .seconds(1) * rate)
    }

    /// Removes full buckets, at most once in the time that an empty one takes to refill, so that a flood of keys does
    /// not make every request sweep.
    private mutating func sweep(_ now: ContinuousClock.Instant) {
        if let sweptAt, sweptAt.duration(to: now) < .seconds(max(1, burst / rate) / 4) { return }
        sweptAt = now
        buckets = buckets.filter { level($0.value, now) < burst }
    }
}
