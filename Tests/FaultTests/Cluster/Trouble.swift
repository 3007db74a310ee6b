/// Something that befalls a cluster in the middle of a campaign, and ends again.
struct Trouble {
    enum Kind: Hashable {
        /// SIGKILL; started again at the end.
        case nodeKilled
        /// SIGSTOP; SIGCONT at the end.
        case nodeFrozen
        case nodeCutOff(Loss)
        /// SIGKILL to the database's server, started again on what lies on the disk at the end.
        case databaseKilled
        /// Another session has locked a table against everybody.
        case tableLocked(String)
        /// Another session builds an index, and nothing writes to the table meanwhile.
        case indexBuilt(String)
        /// `pg_dump` runs, and nobody reads what it says before the end.
        case dumped
        /// The database's files cannot grow.
        case diskFull
        /// The database's answers to a node are late by so much.
        case nodeSlowed(Duration)
    }

    var kind: Kind
    /// Whom it befalls, unless it is the database.
    var node: Int
    /// How many notifications Apple has accepted when it begins.
    var point: Int
    var length: Duration

    init(_ kind: Kind, of node: Int, after point: Int, for length: Duration) {
        self.kind = kind
        self.node = node
        self.point = point
        self.length = length
    }

    /// What a seed has in store for a campaign: two troubles, of two nodes at most, so that one is left to take over.
    ///
    /// They last between half a second and fourteen: shorter and longer than a lease of ten.
    static func troubles(of seed: Int, devices: Int, nodes count: Int) -> [Trouble] {
        var jitter = Jitter(seed: seed)
        let spared = jitter.number(below: count)
        let others = (0..<count).filter { $0 != spared }
        let kinds: [Kind] = [.nodeKilled, .nodeFrozen, .nodeCutOff(.requests), .nodeCutOff(.answers), .databaseKilled]
        return others.prefix(2).map { node in
            Trouble(
                kinds[jitter.number(below: kinds.count)],
                of: node,
                after: jitter.number(below: devices * 3 / 4),
                for: .milliseconds(500 + jitter.number(below: 13_500))
            )
        }
    }

    /// Whether outcomes wait for an index.
    var buildsIndex: Bool {
        if case .indexBuilt = kind { true } else { false }
    }

    /// Whether a node is lost to the others for as long as it lasts.
    var losesNode: Bool {
        switch kind {
        case .nodeKilled, .nodeFrozen, .nodeCutOff: true
        case .databaseKilled, .tableLocked, .indexBuilt, .dumped, .diskFull, .nodeSlowed: false
        }
    }
}

extension Trouble: CustomStringConvertible {
    var description: String {
        let what =
            switch kind {
            case .nodeKilled: "node \(node) killed"
            case .nodeFrozen: "node \(node) frozen"
            case .nodeCutOff(let loss): "node \(node) cut off, \(loss.rawValue) lost,"
            case .databaseKilled: "database killed"
            case .tableLocked(let table): "\(table) locked"
            case .indexBuilt(let table): "index built on \(table)"
            case .dumped: "pg_dump"
            case .diskFull: "disk of the database full"
            case .nodeSlowed(let delay): "node \(node) has answers of the database \(delay.inSeconds) s late"
            }
        return "\(what) after \(point) for \(length.inSeconds) s"
    }
}

extension Duration {
    /// With a tenth.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds / 100_000_000_000_000_000) / 10
    }
}
