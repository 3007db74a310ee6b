import Foundation

extension Trouble {
    /// How long a table is locked: longer than a lease; in a long run a minute.
    static var lockTime: Duration {
        let text = ProcessInfo.processInfo.environment["CARILLON_FAULT_LOCK_SECONDS"] ?? ""
        return .seconds(Int(text).map { min(max($0, 1), 600) } ?? 12)
    }

    /// What a seed has in store for the database, by its number in eights; from the fifth on many kill a node meanwhile.
    static func storeTroubles(of seed: Int, devices: Int, nodes count: Int) -> [Trouble] {
        var random = Jitter(seed: seed)
        let node = random.number(below: count)
        let point = random.number(below: devices / 2)
        let some = Duration.milliseconds(2_000 + random.number(below: 6_000))
        var troubles = storeTroubles(seed, node: node, point: point, some)
        let kill = Trouble(
            .nodeKilled,
            of: (node + 1) % count,
            after: point + random.number(below: devices / 4),
            for: .milliseconds(500 + random.number(below: 3_000))
        )
        // What starts beside a dump wants its partitions.
        if seed % 8 == 7 || (seed > 4 && random.number(below: 2) == 0) { troubles.append(kill) }
        return troubles
    }

    private static func storeTroubles(_ seed: Int, node: Int, point: Int, _ some: Duration) -> [Trouble] {
        switch seed % 8 {
        case 1: [Trouble(.tableLocked("devices"), of: node, after: point, for: lockTime)]
        case 2: [Trouble(.tableLocked("deliveries"), of: node, after: point, for: lockTime)]
        case 3: [Trouble(.tableLocked("chunks"), of: node, after: point, for: lockTime)]
        case 4: fullDiskBesideOthers(seed, node: node)
        case 5: [Trouble(.nodeSlowed(.milliseconds(200)), of: node, after: 0, for: some)]
        case 6:
            [
                Trouble(.indexBuilt("devices"), of: node, after: point, for: some / 2),
                Trouble(.indexBuilt("deliveries"), of: node, after: point + 500, for: some),
            ]
        case 7: [Trouble(.dumped, of: node, after: point, for: some)]
        default: [Trouble(.diskFull, of: node, after: point, for: some)]
        }
    }

    /// A disk that fills up before an index is built, or while one is, and then a dump and late answers.
    private static func fullDiskBesideOthers(_ seed: Int, node: Int) -> [Trouble] {
        let isFullFirst = seed % 16 == 12
        return [
            Trouble(.diskFull, of: node, after: isFullFirst ? 200 : 800, for: .seconds(2)),
            Trouble(.indexBuilt("deliveries"), of: node, after: isFullFirst ? 800 : 200, for: .seconds(2)),
            Trouble(.dumped, of: node, after: 1_400, for: .seconds(2)),
            Trouble(.nodeSlowed(.milliseconds(200)), of: node, after: 2_000, for: .seconds(2)),
        ]
    }
}
