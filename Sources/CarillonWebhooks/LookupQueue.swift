/// Decides which name is looked up next, so that one owner's slow names do not delay others'.
///
/// A pure value: the caller looks names up. The number of concurrent lookups is limited, and for one owner to a
/// quarter; of those that wait, the owner with the fewest running is next, in order of arrival.
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

    /// What to do with a lookup.
    enum Admission: Hashable, Sendable {
        case start
        case wait
        /// Too many wait.
        case refuse
    }

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of concurrent lookups, 2 or more.
    ///   - waitingLimit: Maximum number of waiting lookups.
    init(limit: Int, waitingLimit: Int) {
        self.limit = limit
        perOwner = max(1, limit / 4)
        self.waitingLimit = waitingLimit
    }

    /// Adds a lookup.
    mutating func add(_ id: UInt64, of owner: Owner) -> Admission {
        if runningCount < limit, running[owner, default: 0] < perOwner {
            begin(owner)
            return .start
        }
        guard waiting.count < waitingLimit else { return .refuse }
        waiting.append(Waiting(id: id, owner: owner))
        return .wait
    }

    /// Ends a running lookup.
    ///
    /// - Returns: The one that starts next; `nil` when none may.
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

    /// Removes a waiting lookup.
    ///
    /// - Returns: Whether it was waiting.
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
