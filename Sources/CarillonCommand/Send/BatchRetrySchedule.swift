/// Schedules the retries of a batch: each notification has its own number of attempts and its own time.
///
/// Notifications that APNs could not accept, or that did not reach it, wait together. A token that has had too many
/// notifications waits by itself, as the others are not concerned. Delays grow and have jitter, so that batches and
/// machines that failed together do not come back together.
struct BatchRetrySchedule {
    /// Notifications to send together.
    struct Round: Hashable {
        /// The wait before.
        var wait: Duration
        /// Their positions in the batch, ascending.
        var indices: [Int]
    }

    /// The average wait of a notification before each new attempt; after the last one it is given up.
    static let delays: [Duration] = [.seconds(1), .seconds(4), .seconds(15)]
    /// Tokens that wait by themselves are retried at multiples of this, so that they still form batches.
    static let grain = Duration.milliseconds(250)

    /// When unsent notifications are due, by position in the batch.
    private var due: [Int: Duration]
    private var attempts: [Int]
    /// The sum of all waits, without the time that sending took.
    private var elapsed = Duration.zero

    /// Schedules a batch's first attempt.
    ///
    /// - Parameter count: Number of notifications.
    init(count: Int) {
        due = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, .zero) })
        attempts = Array(repeating: 0, count: count)
    }

    /// Removes and returns the next round; `nil` when there is none.
    mutating func next() -> Round? {
        guard let earliest = due.values.min() else { return nil }
        let indices = due.filter { $0.value == earliest }.keys.sorted()
        for index in indices {
            due[index] = nil
            attempts[index] += 1
        }
        let wait = earliest - elapsed
        elapsed = earliest
        return Round(wait: wait, indices: indices)
    }

    /// Schedules retries after a round.
    ///
    /// - Parameters:
    ///   - verdicts: By position in the batch.
    ///   - random: A number from 0 up to 1, a new one each time.
    mutating func plan(_ verdicts: [Int: Verdict], random: () -> Double) {
        var common: [Int: Duration] = [:]
        for (index, verdict) in verdicts.sorted(by: { $0.key < $1.key }) where attempts[index] <= Self.delays.count {
            switch verdict {
            case .final, .halt: break
            case .renew: due[index] = elapsed
            case .again:
                let attempt = attempts[index]
                let delay = common[attempt] ?? Self.delay(after: attempt, random())
                common[attempt] = delay
                due[index] = elapsed + delay
            case .againByToken:
                due[index] = elapsed + Self.rounded(Self.delay(after: attempts[index], random()))
            }
        }
    }

    /// Between half the delay and one and a half of it.
    private static func delay(after attempt: Int, _ random: Double) -> Duration {
        delays[attempt - 1] * (0.5 + min(max(random, 0), 1))
    }

    private static func rounded(_ delay: Duration) -> Duration {
        let grains = (delay / grain).rounded(.up)
        return grain * grains
    }
}
