import NIOCore

/// Allows so many events in a row, and after that one an interval.
struct TokenBucket {
    private let capacity: Int64
    private let interval: Int64
    private var filled: Int64
    /// The last instant at which the level was known.
    private var since: NIODeadline?

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - capacity: How many events may come in a row, from 1.
    ///   - interval: After how long one more may come.
    init(capacity: Int, interval: TimeAmount) {
        self.capacity = Int64(max(1, capacity))
        self.interval = max(1, interval.nanoseconds)
        filled = self.capacity
    }

    /// Takes one if there is one.
    mutating func take(at now: NIODeadline) -> Bool {
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
