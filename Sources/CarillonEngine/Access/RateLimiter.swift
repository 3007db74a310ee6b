/// Token buckets, one a key: each holds a burst and fills at a rate.
///
/// A pure value of bounded size; the caller guards it and brings the time. When there are too many keys, those whose
/// bucket is full again are forgotten (nothing is lost by that); if there are none, unknown keys share one bucket.
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

    /// Makes full buckets.
    ///
    /// - Parameters:
    ///   - rate: How many a second, above 0.
    ///   - burst: How many at once, 1 or more.
    ///   - capacity: How many keys are told apart, 1 or more.
    package init(rate: Double, burst: Double, capacity: Int) {
        precondition(rate > 0 && burst >= 1 && capacity >= 1, "A rate limit must let something through.")
        self.rate = rate
        self.burst = burst
        self.capacity = capacity
    }

    /// How many keys are told apart now.
    package var count: Int { buckets.count }

    /// Whether a key has taken something and was not forgotten since.
    package func contains(_ key: Key) -> Bool { buckets[key] != nil }

    /// Takes one out of a key's bucket.
    ///
    /// - Parameters:
    ///   - key: Whose bucket.
    ///   - now: The time, which never goes back.
    /// - Returns: `nil` when it may pass; otherwise after how long it may.
    package mutating func take(_ key: Key, now: ContinuousClock.Instant) -> Duration? {
        if buckets[key] == nil, buckets.count >= capacity { sweep(now) }
        let isKnown = buckets[key] != nil || buckets.count < capacity
        var bucket = (isKnown ? buckets[key] : shared) ?? Bucket(level: burst, filledAt: now)
        let wait = take(&bucket, now)
        if isKnown { buckets[key] = bucket } else { shared = bucket }
        return wait
    }

    /// After how long one may be taken out of a key's bucket; `nil` when now.
    package func delay(of key: Key, now: ContinuousClock.Instant) -> Duration? {
        let isKnown = buckets[key] != nil || buckets.count < capacity
        guard var bucket = isKnown ? buckets[key] : shared else { return nil }
        return take(&bucket, now)
    }

    private func take(_ bucket: inout Bucket, _ now: ContinuousClock.Instant) -> Duration? {
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

    /// Forgets full buckets; at most once in the time that an empty one takes to fill, so that a flood of keys does not
    /// make every request pay for it.
    private mutating func sweep(_ now: ContinuousClock.Instant) {
        if let sweptAt, sweptAt.duration(to: now) < .seconds(max(1, burst / rate) / 4) { return }
        sweptAt = now
        buckets = buckets.filter { level($0.value, now) < burst }
    }
}
