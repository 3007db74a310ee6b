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
    /// When a node was lost with Chunks in hand and for longer than a lease; nothing is measured of later ones.
    private var loss: ContinuousClock.Instant?
    /// What each node's process has counted so far, and all of them since the run began.
    private var counted: [Int] = []
    private var takenOver = 0
    private var losses = 0
    /// While the database is away nobody can take anything over.
    private var measuresTakeover = true
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
        for node in world.nodes { counted.append(await node.metric(.takeovers) ?? 0) }
        world.apple.reset()
        world.apple.inject(ClusterWorld.slowness)
        let spared = (0..<ClusterWorld.nodeCount).first { node in !waiting.contains { $0.node == node } } ?? 0
        let campaign = try await world.campaign(Self.message, asking: seed % ClusterWorld.nodeCount)
        let deadline = begun + .seconds(180)
        var sentAt: ContinuousClock.Instant?
        while !waiting.isEmpty || !underWay.isEmpty || sentAt == nil {
            try #require(.now < deadline, "seed \(seed) takes too long: \(report), \(world.apple.counters())")
            try await letTroublesComeAndGo()
            await watch()
            if sentAt == nil, waiting.isEmpty, try await world.isSent(campaign.id, asking: spared) { sentAt = .now }
            try await Task.sleep(for: .milliseconds(10))
        }
        let early = try await world.funnel(campaign.id, asking: spared)
        for node in world.nodes { try await world.untilIdle(node, "\(report)") }
        report.secondsToEnd = sentAt.map { ($0 - begun).inSeconds } ?? 0
        report.refusedLeases = await refusals()
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
        for (trouble, since) in underWay where .now >= since + trouble.length && mayEnd(trouble) {
            underWay.removeAll { $0.since == since }
            try await end(trouble)
        }
    }

    private var isDatabaseAway: Bool { underWay.contains { $0.trouble.kind == .databaseKilled } }

    private func mayBegin(_ trouble: Trouble) -> Bool { trouble.losesNode || !isDatabaseAway }

    /// A node does not start without its database.
    private func mayEnd(_ trouble: Trouble) -> Bool { trouble.kind != .nodeKilled || !isDatabaseAway }

    private func begin(_ trouble: Trouble) async throws {
        let node = world.nodes[trouble.node]
        if trouble.losesNode {
            let chunks = await node.metric(.chunksUnderWay) ?? 0
            losses += 1
            report.chunksLost += chunks
            if chunks > 0, loss == nil, trouble.kind == .nodeKilled || trouble.length > .seconds(10) { loss = .now }
        }
        switch trouble.kind {
        case .nodeKilled:
            node.killNow()
            counted[trouble.node] = 0
        case .nodeFrozen: node.freeze()
        case .nodeCutOff(let loss): try await world.network.cut(trouble.node, losing: loss)
        case .databaseKilled:
            world.database.killNow()
            measuresTakeover = false
        }
    }

    private func end(_ trouble: Trouble) async throws {
        let node = world.nodes[trouble.node]
        switch trouble.kind {
        case .nodeKilled: try await node.start()
        case .nodeFrozen: node.thaw()
        case .nodeCutOff: try await world.network.heal(trouble.node)
        case .databaseKilled: try world.database.start()
        }
    }

    // MARK: - Watching

    /// Counts the Chunks that nodes take over.
    private func watch() async {
        guard .now >= lastWatch + .milliseconds(100) else { return }
        lastWatch = .now
        for (number, node) in world.nodes.enumerated() where node.isRunning && !node.isFrozen {
            guard let count = await node.metric(.takeovers), count > counted[number] else { continue }
            takenOver += count - counted[number]
            counted[number] = count
            if let loss, measuresTakeover, report.secondsToTakeover == nil {
                report.secondsToTakeover = (.now - loss).inSeconds
            }
        }
    }

    private func refusals() async -> Int {
        var sum = 0
        for node in world.nodes { sum += await node.metric(.refusals) ?? 0 }
        return sum
    }

    // MARK: - Judging

    private func judge(_ campaign: CampaignID, spared: Int, _ early: Funnel) async throws {
        let devices = world.deviceCount
        let counters = world.apple.counters()
        let funnel = try await world.funnel(campaign, asking: spared)
        let repeated = counters.accepted - devices
        report.chunksTakenOver = takenOver
        report.repeated = repeated
        report.realerted = counters.realerted
        report.shownTwice = counters.shownTwice
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
        // Ten, and what a busy machine takes besides.
        #expect(report.secondsToTakeover ?? 0 <= 15, about)
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
    /// From the loss of a node, for longer than a lease, to the first Chunk that another one took over; not where the
    /// database was away.
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
