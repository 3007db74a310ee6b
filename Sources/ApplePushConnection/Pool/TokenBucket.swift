import NIOCore

/// A token bucket: allows a burst, and then one event per interval.
struct TokenBucket {
    private let capacity: Int64
    private let interval: Int64
    private var filled: Int64
    /// The time of the last known level.
    private var since: NIODeadline?

    /// Creates a full bucket.
    ///
    /// - Parameters:
    ///   - capacity: Maximum burst, from 1.
    ///   - interval: After how long one more may follow.
    init(capacity: Int, interval: TimeAmount) {
        self.capacity = Int64(max(1, capacity))
        self.interval = max(1, interval.nanoseconds)
        filled = self.capacity
    }

    /// Consumes a token if there is one.
    mutating func consume(at now: NIODeadline) -> Bool {
        fill(at: now)
        guard filled > 0 else { return false }
        if filled == capacity { since = now }
        filled -= 1
        return true
    }

    private mutating func fill(at now: NIODeadline) {
        guard let since, now > since else { return }
        let gained = (now - since).nanoseconds / interval
        guard gained > 0 else { return }
        filled = min(capacity, filled + gained)
        self.since = since + .nanoseconds(gained * interval)
    }
}
