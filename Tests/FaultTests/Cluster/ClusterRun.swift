import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import Testing

@testable import CarillonCommand

/// One campaign with its troubles, and what must be true when they are over.
final class ClusterRun {
    static let message = Message(content: ["default": LocalizedContent(title: "Bells", body: "At eight")])

    private let world: ClusterWorld
    private let seed: Int
    private var waiting: [Trouble]
    private var underWay: [(trouble: Trouble, since: ContinuousClock.Instant)] = []
    private var report: ClusterReport
    /// When a node was lost last, and how many Chunks the others had taken over before.
    private var lastLoss: (at: ContinuousClock.Instant, taken: Int)?
    private var lastTakeover: ContinuousClock.Instant?
    private var takenOver = 0
    private var losses = 0
    private var lastWatch = ContinuousClock.now

    /// Prepares a campaign to all Devices; what befalls is as the seed says where no `troubles` are named.
    init(world: ClusterWorld, seed: Int, _ troubles: [Trouble]? = nil) {
        self.world = world
        self.seed = seed
        let count = ClusterWorld.nodeCount
        waiting = troubles ?? Trouble.troubles(of: seed, devices: world.deviceCount, nodes: count)
        waiting.sort { $0.point < $1.point }
        report = ClusterReport(seed: seed, network: world.network.kind, troubles: waiting.map(\.description))
    }

    /// Sends the campaign, lets the troubles come and go, and judges.
    func carryOut() async throws {
        let begun = ContinuousClock.now
        let base = try await takeovers()
        world.apple.reset()
        world.apple.inject(ClusterWorld.slowness)
        let spared = (0..<ClusterWorld.nodeCount).first { node in !waiting.contains { $0.node == node } } ?? 0
        let campaign: Campaign = try await world.nodes[seed % ClusterWorld.nodeCount].api.post(
            "v1/campaigns",
            CampaignRequest(app: world.app, audience: .all, message: Self.message)
        )
        let deadline = begun + .seconds(180)
        var sentAt: ContinuousClock.Instant?
        while !waiting.isEmpty || !underWay.isEmpty || sentAt == nil {
            try #require(.now < deadline, "seed \(seed) takes too long: \(report), \(world.apple.counters())")
            try await letTroublesComeAndGo()
            try await watch(since: base)
            if sentAt == nil, waiting.isEmpty, try await world.isSent(campaign.id, asking: spared) { sentAt = .now }
            try await Task.sleep(for: .milliseconds(10))
        }
        let early: Funnel = try await world.nodes[spared].api.get("v1/campaigns/\(campaign.id)/funnel")
        for node in world.nodes { try await world.untilIdle(node, "\(report)") }
        report.secondsToEnd = sentAt.map { ($0 - begun).inSeconds } ?? 0
        report.refusedLeases = try await refusals()
        try await judge(campaign.id, spared: spared, early)
        report.seconds = (.now - begun).inSeconds
        report.print()
    }

    // MARK: - Troubles

    private func letTroublesComeAndGo() async throws {
        let accepted = world.apple.counters().accepted
        while let trouble = waiting.first, accepted >= trouble.point, mayBegin(trouble) {
            waiting.removeFirst()
            try await begin(trouble)
            underWay.append((trouble, .now))
        }
        for (trouble, since) in underWay where .now >= since + trouble.length {
            underWay.removeAll { $0.since == since }
            try await end(trouble)
        }
    }

    /// The database is killed once at a time.
    private func mayBegin(_ trouble: Trouble) -> Bool {
        trouble.losesNode || !underWay.contains { $0.trouble.kind == .databaseKilled }
    }

    private func begin(_ trouble: Trouble) async throws {
        let node = world.nodes[trouble.node]
        if trouble.losesNode {
            losses += 1
            report.chunksLost += await node.metric(.chunksUnderWay) ?? 0
        }
        switch trouble.kind {
        case .nodeKilled: node.killNow()
        case .nodeFrozen: node.freeze()
        case .nodeCutOff(let loss): try await world.network.cut(trouble.node, losing: loss)
        case .databaseKilled: world.database.killNow()
        }
        if trouble.losesNode { lastLoss = (.now, takenOver) }
    }

    private func end(_ trouble: Trouble) async throws {
        let node = world.nodes[trouble.node]
        switch trouble.kind {
        case .nodeKilled: try await startAgain(node)
        case .nodeFrozen: node.thaw()
        case .nodeCutOff: try await world.network.heal(trouble.node)
        case .databaseKilled: try world.database.start()
        }
    }

    /// A node does not start without its database: then it has to be tried again, as systemd does.
    private func startAgain(_ node: ClusterNode) async throws {
        try await world.until("a node starts") { (try? await node.start()) != nil || node.isRunning }
    }

    // MARK: - Watching

    /// How many Chunks nodes have taken over that can be asked; what a killed one had counted is left out.
    private func takeovers() async throws -> Int {
        var sum = 0
        for node in world.nodes where node.isRunning && !node.isFrozen {
            sum += await node.metric(.takeovers) ?? 0
        }
        return sum
    }

    private func refusals() async throws -> Int {
        var sum = 0
        for node in world.nodes { sum += await node.metric(.refusals) ?? 0 }
        return sum
    }

    private func watch(since base: Int) async throws {
        guard .now >= lastWatch + .milliseconds(100) else { return }
        lastWatch = .now
        let now = try await takeovers() - base
        guard now > takenOver else { return }
        takenOver = now
        lastTakeover = .now
    }

    // MARK: - Judging

    private func judge(_ campaign: CampaignID, spared: Int, _ early: Funnel) async throws {
        let devices = world.deviceCount
        let counters = world.apple.counters()
        let funnel: Funnel = try await world.nodes[spared].api.get("v1/campaigns/\(campaign)/funnel")
        let repeated = counters.accepted - devices
        report.chunksTakenOver = takenOver
        report.repeated = repeated
        report.realerted = counters.realerted
        report.shownTwice = counters.shownTwice
        if let lastLoss, let lastTakeover, takenOver > lastLoss.taken {
            report.secondsToTakeover = (lastTakeover - lastLoss.at).inSeconds
        }
        let about: Comment = "\(report)"
        #expect(counters.distinctTokensAccepted == devices, about)
        #expect(counters.shownTwice == 0, about)
        #expect((funnel.targeted, funnel.accepted) == (devices, counters.distinctTokensAccepted), about)
        #expect(funnel.failed.isEmpty, about)
        #expect(funnel == early, "what comes too late is refused; \(about)")
        #expect(counters.distinctProviderTokens == 1, about)
        // What a lost node had in hand, and what it sends of it when it does not know yet that others did.
        #expect(repeated <= losses * ClusterWorld.chunksAtOnce * ClusterWorld.chunkSize * 2, about)
        #expect(counters.realerted <= repeated, about)
        #expect(try world.database.ask(Self.rows) == "\(devices)|\(devices)|0|0|0", about)
    }

    /// The last campaign's deliveries and their Devices, and whatever work is left over.
    private static let rows = """
        SELECT count(*), count(DISTINCT device_number), (SELECT count(*) FROM chunks), (SELECT count(*) FROM waves),
            (SELECT count(*) FROM retries)
        FROM deliveries WHERE occurrence_id = (SELECT max(id) FROM occurrences)
        """
}

/// What a run came to, printed as one line of JSON.
struct ClusterReport: Encodable, CustomStringConvertible {
    var suite = "cluster"
    var seed: Int
    var network: String
    var troubles: [String]
    /// Chunks in the hands of nodes that were lost.
    var chunksLost = 0
    var chunksTakenOver = 0
    /// Answers to stale leases, by nodes that were not killed since; from the beginning of the world.
    var refusedLeases = 0
    /// From the loss of the last node to the last Chunk that another one took over.
    var secondsToTakeover: Double?
    var secondsToEnd = 0.0
    var seconds = 0.0
    var repeated = 0
    var realerted = 0
    var shownTwice = 0

    init(seed: Int, network: String, troubles: [String]) {
        self.seed = seed
        self.network = network
        self.troubles = troubles
    }

    var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    func print() { Swift.print(description) }
}
