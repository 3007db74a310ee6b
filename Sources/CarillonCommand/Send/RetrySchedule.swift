/// When the notifications of a batch are sent again: each has its own count of attempts and its own time.
///
/// What APNs could not take, or what did not reach it, waits together. A token that has had too many notifications waits
/// by itself, as the others have nothing to do with it. Delays grow and have jitter, so that batches and machines which
/// failed together do not come back together.
struct RetrySchedule {
    /// Notifications that are to be sent now.
    struct Round: Hashable {
        /// How long to wait before.
        var wait: Duration
        /// Their places in the batch, rising.
        var indices: [Int]
    }

    /// How long a notification waits before each new attempt, on the average; after the last one it is given up.
    static let delays: [Duration] = [.seconds(1), .seconds(4), .seconds(15)]
    /// Tokens that wait by themselves come back at multiples of this, so that they still travel in company.
    static let grain = Duration.milliseconds(250)

    /// What is still to be sent, by place in the batch.
    private var due: [Int: Duration]
    private var attempts: [Int]
    /// What has been waited so far; the time that sending took is not counted.
    private var elapsed = Duration.zero

    /// Plans a batch's first attempt.
    ///
    /// - Parameter count: How many notifications it has.
    init(count: Int) {
        due = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, .zero) })
        attempts = Array(repeating: 0, count: count)
    }

    /// What is to be sent next; `nil` when nothing is.
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

    /// Plans what follows from a round's verdicts.
    ///
    /// - Parameters:
    ///   - verdicts: By place in the batch.
    ///   - random: A number from 0 up to 1, another one each time.
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

    /// Half the delay to one and a half of it.
    private static func delay(after attempt: Int, _ random: Double) -> Duration {
        delays[attempt - 1] * (0.5 + min(max(random, 0), 1))
    }

    private static func rounded(_ delay: Duration) -> Duration {
        let grains = (delay / grain).rounded(.up)
        return grain * grains
    }
}
