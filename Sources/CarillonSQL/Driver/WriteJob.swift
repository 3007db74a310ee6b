import StoreErrors

/// A waiting write.
struct WriteJob: Sendable {
    let priority: WritePriority
    /// Until when it may wait for others; `nil` for no limit.
    let deadline: ContinuousClock.Instant?
    /// The number of attempts that met another transaction, or lost their connection.
    var failures = 0
    /// Does the work, and returns a closure that answers it once it is durable.
    let run: @Sendable (any SQLConnection) throws(StoreError) -> @Sendable () -> Void
    /// Answers that it was not committed.
    let fail: @Sendable (StoreError) -> Void

    func isOver(at now: ContinuousClock.Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}

/// Maximum total time that writes may wait for others.
struct WriteTimes: Sendable {
    var serving: Duration?
    var bulk: Duration?

    /// Without a limit: only one process writes.
    static let unlimited = WriteTimes(serving: nil, bulk: nil)

    func deadline(of priority: WritePriority) -> ContinuousClock.Instant? {
        switch priority {
        case .serving, .heartbeat: serving.map { .now + $0 }
        case .bulk: bulk.map { .now + $0 }
        }
    }
}

/// How a write is retried that met another transaction: it is postponed, so that it occupies no connection while it
/// waits.
enum WriteRetry {
    /// Maximum attempts of a write that fails because of another transaction other than by a lock, or that loses its
    /// connection.
    static let attempts = 10

    /// Returns the pause before the next attempt: it doubles about each time, with jitter, so that two writes do not
    /// meet again.
    ///
    /// - Parameters:
    ///   - failures: The number of attempts, at least one.
    ///   - share: A random number, 0 to 1.
    /// - Returns: The pause, at most 400 milliseconds.
    static func pause(after failures: Int, share: Double) -> Duration {
        let longest = min(Double(10 << min(failures, 6)), 400)
        return .microseconds(Int64(longest * (0.25 + 0.75 * share) * 1_000))
    }

    /// Returns how long an attempt waits for a lock, well below the second after which the server looks for deadlocks.
    ///
    /// - Parameters:
    ///   - failures: The number of attempts.
    ///   - waiting: The number of other postponed writes: the more there are, the less time each has.
    /// - Returns: The time, 10 to 400 milliseconds.
    static func lockTime(after failures: Int, waiting: Int) -> Duration {
        waiting > 8 ? .milliseconds(10) : .milliseconds(min(50 << min(failures, 3), 400))
    }
}

/// Postponed writes, each with the time of its next attempt.
///
/// A pure value; the caller synchronizes access. Among due writes those with the fewest failures go first, so that a
/// write with a short conflict does not wait behind many that a lock blocks for long.
struct PostponedWrites<Job: Sendable> {
    private struct Entry {
        let job: Job
        let failures: Int
        let ready: ContinuousClock.Instant
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// When the next one is due; `nil` when there is none.
    private(set) var nextTime: ContinuousClock.Instant?

    mutating func append(_ job: Job, failures: Int, ready: ContinuousClock.Instant) {
        entries.append(Entry(job: job, failures: failures, ready: ready))
        nextTime = min(nextTime ?? ready, ready)
    }

    /// Removes and returns the next due write.
    mutating func popFirst(at now: ContinuousClock.Instant) -> Job? {
        guard let nextTime, nextTime <= now else { return nil }
        var chosen: Int?
        for (place, entry) in entries.enumerated() where entry.ready <= now {
            let best = chosen.map { entries[$0] }
            if best.map({ (entry.failures, entry.ready) < ($0.failures, $0.ready) }) ?? true { chosen = place }
        }
        guard let chosen else { return nil }
        entries.swapAt(chosen, entries.count - 1)
        let job = entries.removeLast().job
        findNextTime()
        return job
    }

    /// Removes and returns all that satisfy a condition.
    mutating func remove(where condition: (Job) -> Bool) -> [Job] {
        let removed = entries.filter { condition($0.job) }
        guard !removed.isEmpty else { return [] }
        entries.removeAll { condition($0.job) }
        findNextTime()
        return removed.map(\.job)
    }

    private mutating func findNextTime() { nextTime = entries.lazy.map(\.ready).min() }
}
