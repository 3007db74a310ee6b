/// Says which name is looked up next, so that no owner's slow names keep others' waiting.
///
/// A pure value: the caller looks names up. At most so many run at once, and of one owner a quarter of them; of those who
/// wait, the owner with the fewest running comes first, and of one owner who came first.
struct LookupQueue<Owner: Hashable & Sendable>: Sendable {
    private struct Waiting: Sendable {
        var id: UInt64
        var owner: Owner
    }

    private let limit: Int
    private let perOwner: Int
    private let waitingLimit: Int
    private var running: [Owner: Int] = [:]
    private var runningCount = 0
    private var waiting: [Waiting] = []

    /// What is to be done with a look-up.
    enum Admission: Hashable, Sendable {
        case start
        case wait
        /// Too many wait.
        case refuse
    }

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - limit: How many run at once, 2 or more.
    ///   - waitingLimit: How many wait at most.
    init(limit: Int, waitingLimit: Int) {
        self.limit = limit
        perOwner = max(1, limit / 4)
        self.waitingLimit = waitingLimit
    }

    /// Takes a look-up in.
    mutating func add(_ id: UInt64, of owner: Owner) -> Admission {
        if runningCount < limit, running[owner, default: 0] < perOwner {
            begin(owner)
            return .start
        }
        guard waiting.count < waitingLimit else { return .refuse }
        waiting.append(Waiting(id: id, owner: owner))
        return .wait
    }

    /// Ends a look-up that ran.
    ///
    /// - Returns: The one that is started in its place; `nil` when none waits that may.
    mutating func end(of owner: Owner) -> UInt64? {
        let count = running[owner, default: 0] - 1
        running[owner] = count > 0 ? count : nil
        runningCount -= 1
        let candidates = waiting.indices.filter { running[waiting[$0].owner, default: 0] < perOwner }
        let next = candidates.min { running[waiting[$0].owner, default: 0] < running[waiting[$1].owner, default: 0] }
        guard let next else { return nil }
        let started = waiting.remove(at: next)
        begin(started.owner)
        return started.id
    }

    /// Forgets a look-up that waits.
    ///
    /// - Returns: Whether it waited.
    mutating func cancel(_ id: UInt64) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: place)
        return true
    }

    private mutating func begin(_ owner: Owner) {
        running[owner, default: 0] += 1
        runningCount += 1
    }
}
