import StoreErrors

/// A write that waits.
struct WriteJob: Sendable {
    let priority: WritePriority
    /// Until when it may wait for others; `nil` is for ever.
    let deadline: ContinuousClock.Instant?
    /// How often it met another transaction, or lost its connection.
    var failures = 0
    /// Does the work; gives back how to answer it once it is on the disk.
    let run: @Sendable (any SQLConnection) throws(StoreError) -> @Sendable () -> Void
    /// Answers that it was not kept.
    let fail: @Sendable (StoreError) -> Void

    func isOver(at now: ContinuousClock.Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}

/// How long writes may wait for others, in all.
struct WriteTimes: Sendable {
    var serving: Duration?
    var bulk: Duration?

    /// One process writes, in turns: nobody is in the way.
    static let unlimited = WriteTimes(serving: nil, bulk: nil)

    func deadline(of priority: WritePriority) -> ContinuousClock.Instant? {
        switch priority {
        case .serving, .heartbeat: serving.map { .now + $0 }
        case .bulk: bulk.map { .now + $0 }
        }
    }
}

/// What is done with a write that met another transaction: it goes back and is tried again later, so that it keeps no
/// connection while it waits.
enum WriteRetry {
    /// How often a write is run that somebody else makes fail otherwise than by a lock, or whose connection is lost.
    static let attempts = 10

    /// The pause before the next attempt; about twice as long each time, at random, so that two that met do not meet
    /// again.
    ///
    /// - Parameters:
    ///   - failures: How many attempts there were, at least one.
    ///   - share: A random number, 0 to 1.
    /// - Returns: The pause, at most 400 milliseconds.
    static func pause(after failures: Int, share: Double) -> Duration {
        let longest = min(Double(10 << min(failures, 6)), 400)
        return .microseconds(Int64(longest * (0.25 + 0.75 * share) * 1_000))
    }

    /// How long an attempt waits for a lock, well below the second after which the server looks for deadlocks.
    ///
    /// - Parameters:
    ///   - failures: How many attempts there were.
    ///   - waiting: How many other writes wait to be tried again: where many do, each has less time.
    /// - Returns: The time, 10 to 400 milliseconds.
    static func lockTime(after failures: Int, waiting: Int) -> Duration {
        waiting > 8 ? .milliseconds(10) : .milliseconds(min(50 << min(failures, 3), 400))
    }
}

/// Writes that are to be tried again, each from some time on.
///
/// A pure value; the caller guards it. Of those whose time has come the ones that failed least go first, so that a write
/// that met somebody for a moment does not wait behind many that a lock has kept for long.
struct PostponedWrites<Job: Sendable> {
    private struct Entry {
        let job: Job
        let failures: Int
        let ready: ContinuousClock.Instant
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// When the next one's time comes; `nil` when there is none.
    private(set) var nextTime: ContinuousClock.Instant?

    mutating func append(_ job: Job, failures: Int, ready: ContinuousClock.Instant) {
        entries.append(Entry(job: job, failures: failures, ready: ready))
        nextTime = min(nextTime ?? ready, ready)
    }

    /// Takes the next write whose time has come.
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

    /// Takes all that fulfil a condition.
    mutating func remove(where condition: (Job) -> Bool) -> [Job] {
        let removed = entries.filter { condition($0.job) }
        guard !removed.isEmpty else { return [] }
        entries.removeAll { condition($0.job) }
        findNextTime()
        return removed.map(\.job)
    }

    private mutating func findNextTime() { nextTime = entries.lazy.map(\.ready).min() }
}
