import CarillonModel

/// Which versions of tables are in memory: those that are searched most, within a bound of bytes.
///
/// A version is read once it was searched often. Where it needs room, it has to be searched more than twice as often as all
/// those together that would make room: versions that are searched in turn never displace each other. A later version of a
/// table takes the earlier one's room at once. Searches of long ago count less, since all counts are halved now and then.
///
/// It decides only; whoever asks reads, and holds what was read.
struct PlaceAdmission {
    struct Key: Hashable, Sendable {
        var app: AppID
        var slot: Int64
    }

    /// A table, whose versions follow each other.
    struct Table: Hashable, Sendable {
        var app: AppID
        var set: String
        var name: String
    }

    struct Limits: Sendable {
        /// Maximum bytes of all versions.
        var size = 128 << 20
        /// Maximum bytes of one version.
        var versionSize = 64 << 20
        /// A version is read after this many searches.
        var searches = 100
        /// All counts are halved after this many searches of all versions, and when there are too many counts.
        var halving = 100_000
        var counts = 10_000
    }

    /// What a search does.
    enum Step: Hashable {
        case useMemory
        /// Reads the version, if ``mayRead(_:of:size:)`` says so.
        case consider
        case askDatabase
    }

    private struct Held {
        var table: Table
        var size: Int
    }

    let limits: Limits
    private var held: [Key: Held] = [:]
    private var searches: [Key: Int] = [:]
    /// From how many searches on a version is considered again.
    private var refusals: [Key: Int] = [:]
    private var total = 0
    /// The version that is being read: one at a time, since reading takes as much memory as several held ones.
    private var reading: Key?

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The bytes of what is in memory.
    var size: Int { held.values.reduce(0) { $0 + $1.size } }
    /// What is in memory.
    var keys: Set<Key> { Set(held.keys) }

    mutating func search(_ key: Key) -> Step {
        let count = note(key)
        if held[key] != nil { return .useMemory }
        guard reading == nil, count >= max(limits.searches, refusals[key] ?? 0) else { return .askDatabase }
        reading = key
        return .consider
    }

    /// Whether a version is worth its room.
    ///
    /// - Parameters:
    ///   - key: The version.
    ///   - table: Its table.
    ///   - size: About how many bytes it has.
    /// - Returns: False when it is not: then it is given up.
    func mayRead(_ key: Key, of table: Table, size: Int) -> Bool {
        // Cursors may still read a version that a later one has followed.
        let isLast = !held.contains { $0.value.table == table && $0.key.slot > key.slot }
        guard size <= limits.versionSize, isLast else { return false }
        let others = displaced(by: table, size: size).reduce(0) { sum, other in
            held[other]?.table == table ? sum : sum + (searches[other] ?? 0)
        }
        return others == 0 || searches[key] ?? 0 > 2 * others
    }

    /// Notes that a version is in memory from now on.
    ///
    /// - Returns: The versions that make room; `nil` when it has more bytes than there may be, and is given up.
    mutating func hold(_ key: Key, of table: Table, size: Int) -> [Key]? {
        guard size <= limits.versionSize else {
            giveUp(key)
            return nil
        }
        let displaced = displaced(by: table, size: size)
        for other in displaced { held[other] = nil }
        held[key] = Held(table: table, size: size)
        refusals[key] = nil
        if reading == key { reading = nil }
        return displaced
    }

    /// Leaves a version to the database until it was searched twice as often.
    mutating func giveUp(_ key: Key) {
        refusals[key] = 2 * max(searches[key] ?? 0, limits.searches)
        if reading == key { reading = nil }
    }

    /// Lets a later search try again, after a reading that failed.
    mutating func release(_ key: Key) {
        refusals[key] = (searches[key] ?? 0) + limits.searches
        if reading == key { reading = nil }
    }

    // MARK: - Private

    /// Earlier versions of the table, and then those that are searched least.
    private func displaced(by table: Table, size: Int) -> [Key] {
        var displaced = held.keys.filter { held[$0]?.table == table }
        var free = limits.size - self.size + displaced.reduce(0) { $0 + (held[$1]?.size ?? 0) }
        let others = held.keys.filter { held[$0]?.table != table }
            .sorted { (searches[$0] ?? 0, $0.slot) < (searches[$1] ?? 0, $1.slot) }
        for other in others where free < size {
            displaced.append(other)
            free += held[other]?.size ?? 0
        }
        return displaced
    }

    /// Counts a search.
    private mutating func note(_ key: Key) -> Int {
        searches[key, default: 0] += 1
        total += 1
        if total >= limits.halving || searches.count > limits.counts { halve() }
        return searches[key] ?? 0
    }

    private mutating func halve() {
        total = 0
        searches = searches.mapValues { $0 / 2 }.filter { $0.value > 0 }
        refusals = refusals.filter { searches[$0.key] != nil }.mapValues { $0 / 2 }
    }
}
