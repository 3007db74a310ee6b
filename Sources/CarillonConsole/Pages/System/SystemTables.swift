import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// A list of facts for the template `facts`.
struct SystemFacts: Hashable, Sendable {
    let facts: [FactView]
}

/// Something that is not as it should be.
struct SystemNote: Hashable, Sendable {
    let noteText: String
    let notePath: String
}

/// A number that moves, with the name under which the stream sends it.
struct SystemLiveFact: Hashable, Sendable {
    let liveLabel: String
    let liveKey: String
    let liveValue: String
}

/// A row of the table of nodes.
struct SystemNodeRow: Hashable, Sendable {
    let nodeName: String
    let nodeID: String
    let nodeRole: String
    let nodeVersion: String
    let nodeStarted: TimeView
    let nodeSeen: TimeView
    let nodeOffset: String
    let nodeChunks: String
    let nodePill: PillView
    /// The page with what an admin may do; `nil` for others.
    let nodePath: String?

    init(_ node: Node, own: NodeID?, mayAct: Bool, at now: Timestamp, _ look: Look) {
        nodeName = node.id == own ? look.texts("system.node.own", ["name": node.name]) : node.name
        nodeID = node.id.description
        nodeRole = look.texts.word("system.role", node.role)
        nodeVersion = node.version
        nodeStarted = look.times.table(node.startedAt)
        nodeSeen = look.times.exact(node.seenAt)
        nodeOffset =
            node.clockOffset.map { look.texts("system.milliseconds", ["number": look.numbers.full($0)]) } ?? "–"
        nodeChunks = look.numbers.full(node.chunks)
        nodePill = node.pill(look)
        nodePath = mayAct ? ConsolePath.system + "/nodes/\(node.id)" : nil
    }
}

/// A row of the table of lanes.
struct SystemLaneRow: Hashable, Sendable {
    let laneApps: String
    let laneEnvironment: String
    let laneKey: String
    let laneNode: String
    let laneConnections: String
    let laneStreams: String
    let laneRate: String
    let laneRateKey: String
    let laneStreamsKey: String
    let laneRefused: String
    let laneTooMany: String
    let laneGoAway: String
    let laneTokenAge: String

    init(_ lane: NodeLane, of node: Node, _ model: SystemPage.Model, _ look: Look) {
        laneApps = look.list(lane.apps.map { model.appNames[$0] ?? $0.description })
        laneEnvironment = look.texts.word("system.environment", lane.environment)
        (laneKey, laneNode) = (lane.keyID, node.name)
        laneConnections = look.numbers.full(lane.connections)
        laneStreams = Self.streams(lane, look)
        laneRate = Self.rate(lane, look)
        let key = Self.key(lane, node)
        (laneRateKey, laneStreamsKey) = ("rate-" + key, "streams-" + key)
        let refused = lane.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
        laneRefused = refused.isEmpty ? "–" : look.list(refused.map { "\($0.key) \(look.numbers.full($0.value))" })
        laneTooMany = look.numbers.full(lane.refused["TooManyRequests"] ?? 0)
        laneGoAway =
            lane.goAwayAt.map { at in
                look.times.exact(at).text + (lane.goAway.map { $0.isEmpty ? "" : " " + $0 } ?? "")
            } ?? "–"
        laneTokenAge = lane.tokenAge.map { look.times.duration(seconds: $0) } ?? "–"
    }

    static func key(_ lane: NodeLane, _ node: Node) -> String { "\(node.id)-\(lane.environment)-\(lane.keyID)" }

    static func streams(_ lane: NodeLane, _ look: Look) -> String {
        look.texts(
            "system.lane.ofLimit",
            ["number": look.numbers.full(lane.streams), "limit": look.numbers.full(lane.streamLimit)]
        )
    }

    static func rate(_ lane: NodeLane, _ look: Look) -> String {
        look.numbers.full(Int(lane.answersPerSecond.rounded()))
    }
}

/// A row of the table of slow statements.
struct SystemSlowRow: Hashable, Sendable {
    let slowText: String
    let slowRuns: String
    let slowLongest: String
    let slowTotal: String

    init(_ statement: SlowStatement, _ look: Look) {
        func milliseconds(_ time: Duration) -> String {
            let number = Int(time.components.seconds) * 1_000 + Int(time.components.attoseconds / 1_000_000_000_000_000)
            return look.texts("system.milliseconds", ["number": look.numbers.full(number)])
        }
        slowText = statement.text
        slowRuns = look.numbers.full(statement.runs)
        (slowLongest, slowTotal) = (milliseconds(statement.longest), milliseconds(statement.total))
    }
}

/// A row of the table of partitions.
struct SystemPartitionRow: Hashable, Sendable {
    let partitionName: String
    let partitionSize: String
}

/// A row of the table of warnings.
struct SystemWarningRow: Hashable, Sendable {
    let warnedAt: TimeView
    let warningLevel: String
    let warningText: String
    let warningDetail: String
}

extension Node {
    /// The node's state.
    func pill(_ look: Look) -> PillView {
        let (state, colour) = isLost ? ("lost", "bad") : quietSince != nil ? ("quiet", "warn") : ("live", "good")
        return PillView(words: look.texts.word("system.node", state), colour: colour)
    }
}

extension Look {
    /// A size: bytes up to 9,999, then the largest unit of which there is more than one.
    func bytes(_ count: Int) -> String {
        guard count > 9_999 else { return texts("system.bytes", ["number": numbers.full(count)]) }
        var (size, unit) = (Double(count) / 1_024, "KiB")
        for next in ["MiB", "GiB", "TiB"] where size >= 1_024 { (size, unit) = (size / 1_024, next) }
        let tenths = Int((size * 10).rounded())
        let text = size < 10 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10)" : numbers.full(Int(size.rounded()))
        return text + " " + unit
    }
}
