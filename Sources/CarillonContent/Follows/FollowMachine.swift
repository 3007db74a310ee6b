import Carillon
import CarillonModel

/// Decides what the user follows as far as the app sees it, and what is sent of it.
///
/// It holds the server's last answer beside the changes that are not sent: what was followed here is followed, whatever an older
/// answer says. Of several changes of a follow the last one is sent. A change of user removes all. It has no clock, no disk and no
/// network.
struct FollowMachine: Equatable, Sendable {
    /// A follow that was made or ended here.
    struct Change: Codable, Equatable, Sendable {
        let number: Int
        let set: String
        let name: String
        /// `nil`: it ended.
        let follow: FollowRecord?
    }

    /// The server's last answer for a set.
    struct Known: Codable, Equatable, Sendable {
        var follows: [String: FollowRecord]
        var fetchedAt: Timestamp
    }

    /// What outlives the process.
    struct Memory: Codable, Equatable, Sendable {
        /// Whose follows they are.
        var owner: String?
        /// Oldest first, one of each follow.
        var changes: [Change] = []
        var known: [String: Known] = [:]
        var lastNumber = 0

        init() {}
    }

    /// The maximum of changes that wait; the oldest are dropped first.
    static let maximumChanges = 1_000

    private(set) var memory: Memory
    var retry = Retry()

    init(_ memory: Memory = Memory()) { self.memory = memory }

    /// Sets the owner; another owner's follows are removed.
    mutating func belong(to owner: UserID?) {
        guard memory.owner != owner?.rawValue else { return }
        let last = memory.lastNumber
        memory = Memory()
        memory.owner = owner?.rawValue
        // A change that is being sent must not be taken for one of the new owner.
        memory.lastNumber = last
        retry = Retry()
    }

    /// Adds a change in place of an earlier one of the same follow.
    ///
    /// - Returns: Its number.
    mutating func change(_ follow: FollowRecord?, name: String, in set: String) -> Int {
        memory.lastNumber += 1
        memory.changes.removeAll { $0.set == set && $0.name == name }
        memory.changes.append(Change(number: memory.lastNumber, set: set, name: name, follow: follow))
        memory.changes = Array(memory.changes.suffix(Self.maximumChanges))
        return memory.lastNumber
    }

    /// Whose follows they are.
    var owner: UserID? { memory.owner.flatMap { UserID(rawValue: $0) } }

    /// The change to send; `nil`: none.
    var next: Change? { memory.changes.first }

    /// The changes of a follow that wait.
    func numbers(of name: String, in set: String) -> [Int] {
        memory.changes.filter { $0.set == set && $0.name == name }.map(\.number)
    }

    /// Whether a change waits to be sent.
    func isWaiting(_ number: Int) -> Bool { memory.changes.contains { $0.number == number } }

    /// Removes a change that the server has made.
    mutating func finish(_ change: Change) {
        guard isWaiting(change.number) else {
            // Changed again meanwhile, or another user's.
            return
        }
        drop(change)
        memory.known[change.set]?.follows[change.name] = change.follow
    }

    /// Removes a change that the server refuses.
    mutating func drop(_ change: Change) { memory.changes.removeAll { $0.number == change.number } }

    /// Replaces what is known of a set by the server's answer.
    mutating func setKnown(_ follows: [String: FollowRecord], in set: String, at now: Timestamp) {
        memory.known[set] = Known(follows: follows, fetchedAt: now)
    }

    /// What the app sees.
    func view(of set: String) -> ContentFollows {
        let known = memory.known[set]
        var all = (known?.follows ?? [:]).mapValues { (record: $0, isSent: true) }
        for change in memory.changes where change.set == set {
            all[change.name] = change.follow.map { (record: $0, isSent: false) }
        }
        let follows = all.sorted { $0.key < $1.key }.map { name, follow in
            ContentFollow(follow.record, name: name, set: set, isSent: follow.isSent)
        }
        return ContentFollows(follows: follows, fetchedAt: known?.fetchedAt)
    }
}
