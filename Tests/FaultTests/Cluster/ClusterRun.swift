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

    let world: ClusterWorld
    private let seed: Int
    private var waiting: [Trouble]
    private var underWay: [(trouble: Trouble, since: ContinuousClock.Instant, session: DatabaseSession?)] = []
    var report: ClusterReport
    /// When a node was lost with Chunks in hand and for longer than a lease; nothing is measured of later ones.
    private var loss: ContinuousClock.Instant?
    /// What each node's process has counted so far, and all of them since the run began.
    private var counted: [Int] = []
    private(set) var takenOver = 0
    private(set) var losses = 0
    /// How long the other App may take beyond twice its usual time, because nobody's outcomes are taken.
    private(set) var waits = Duration.zero
    /// How much of ``waits`` Chunks could not be read for.
    private(set) var readingWaits = Duration.zero
    /// While the database is away or locked nobody can take anything over.
    private let measuresTakeover: Bool
    private var lastWatch = ContinuousClock.now

    /// Prepares a campaign to all Devices; what befalls is as the seed says where no `troubles` are named.
    init(world: ClusterWorld, seed: Int, suite: String = "cluster", usual: Double? = nil, _ troubles: [Trouble]? = nil)
    {
        self.world = world
        self.seed = seed
        let count = ClusterWorld.nodeCount
        waiting = troubles ?? Trouble.troubles(of: seed, devices: world.deviceCount, nodes: count)
        waiting.sort { $0.point < $1.point }
        measuresTakeover = waiting.allSatisfy(\.losesNode)
        report = ClusterReport(
            suite: suite,
            seed: seed,
            network: world.network.kind,
            troubles: waiting.map(\.description)
        )
        report.othersUsualSeconds = usual
    }

    /// Sends the campaign, lets the troubles come and go, and judges.
    func carryOut() async throws {
        let begun = ContinuousClock.now
        for node in world.nodes { counted.append(await node.metric(.takeovers) ?? 0) }
        world.apple.reset()
        world.apple.inject(ClusterWorld.slowness)
        let spared = (0..<ClusterWorld.nodeCount).first { node in !waiting.contains { $0.node == node } } ?? 0
        let campaign = try await world.campaign(Self.message, asking: seed % ClusterWorld.nodeCount)
        let other = try await otherCampaign()
        let deadline = begun + .seconds(180) + waiting.reduce(.zero) { $0 + $1.length }
        var sentAt: ContinuousClock.Instant?
        while !waiting.isEmpty || !underWay.isEmpty || sentAt == nil {
            try #require(.now < deadline, "seed \(seed) takes too long: \(report), \(world.apple.counters())")
            try await letTroublesComeAndGo()
            await watch()
            if sentAt == nil, waiting.isEmpty, try await world.isSent(campaign.id, asking: spared) { sentAt = .now }
            if let other, report.othersSecondsToEnd == nil, try await world.isSent(other, asking: spared) {
                report.othersSecondsToEnd = (.now - begun).inSeconds
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        if let other, report.othersSecondsToEnd == nil {
            _ = try await world.untilSent(other, asking: spared)
            report.othersSecondsToEnd = (.now - begun).inSeconds
        }
        let early = try await world.funnel(campaign.id, asking: spared)
        for node in world.nodes { try await world.untilIdle(node, "\(report)") }
        report.secondsToEnd = sentAt.map { ($0 - begun).inSeconds } ?? 0
        report.refusedLeases = await refusals()
        report.seconds = (.now - begun).inSeconds
        try await judge(campaign.id, other: other, spared: spared, early)
        report.print()
    }

    private func otherCampaign() async throws -> CampaignID? {
        guard report.othersUsualSeconds != nil, let app = world.otherApp else { return nil }
        return try await world.campaign(Self.message, of: app, asking: (seed + 1) % ClusterWorld.nodeCount).id
    }

    // MARK: - Troubles

    private func letTroublesComeAndGo() async throws {
        let accepted = world.apple.counters().accepted
        while let trouble = waiting.first, accepted >= trouble.point, mayBegin(trouble) {
            waiting.removeFirst()
            if trouble.losesNode { await noteLoss(trouble) }
            if !trouble.losesNode || trouble.length > .seconds(10) { waits += trouble.length }
            if waitsForReading(trouble) { readingWaits += trouble.length }
            let session = try await begin(trouble)
            underWay.append((trouble, .now, session))
        }
        for (trouble, since, session) in underWay where .now >= since + trouble.length && mayEnd(trouble, session) {
            underWay.removeAll { $0.since == since }
            try await end(trouble)
            if let session { try finish(session, of: trouble) }
        }
    }

    private func finish(_ session: DatabaseSession, of trouble: Trouble) throws {
        do {
            let bytes = try session.finish()
            #expect(trouble.kind != .dumped || bytes > 10_000, "a dump has the rows")
        } catch let failure as Shell.Failure {
            // On a slow machine an index is still being built when the disk fills up, and finds no room either.
            let meetsFullDisk = report.writesRefused != nil || underWay.contains { $0.trouble.kind == .diskFull }
            guard trouble.buildsIndex, meetsFullDisk else { throw failure }
            report.indexRefused = failure.output
        }
    }

    /// Whether what is sent cannot be read while a trouble lasts: a lost node's Chunks are read again beside what they
    /// have in `deliveries`.
    private func waitsForReading(_ trouble: Trouble) -> Bool {
        switch trouble.kind {
        case .tableLocked("devices"): true
        case .tableLocked("deliveries"): losses > 0 || waiting.contains(where: \.losesNode)
        default: false
        }
    }

    private var isDatabaseAway: Bool { underWay.contains { $0.trouble.kind == .databaseKilled } }

    /// One trouble of the database after the other; but a disk fills up while outcomes wait for an index, so that something
    /// wants to grow.
    private func mayBegin(_ trouble: Trouble) -> Bool {
        trouble.losesNode
            || !underWay.contains { !$0.trouble.losesNode && !(trouble.kind == .diskFull && $0.trouble.buildsIndex) }
    }

    /// A node does not start without its database; a session ends by itself, but for a dump that waits for its reader.
    private func mayEnd(_ trouble: Trouble, _ session: DatabaseSession?) -> Bool {
        switch trouble.kind {
        case .nodeKilled: !isDatabaseAway
        case .tableLocked, .indexBuilt: session?.isRunning == false
        default: true
        }
    }

    private func noteLoss(_ trouble: Trouble) async {
        let node = world.nodes[trouble.node]
        let chunks = await node.metric(.chunksUnderWay) ?? 0
        losses += 1
        report.chunksLost += chunks
        report.repeatsAllowed += await Self.repeats(after: trouble, of: node)
        if chunks > 0, loss == nil, trouble.kind == .nodeKilled || trouble.length > .seconds(10) { loss = .now }
    }

    private func begin(_ trouble: Trouble) async throws -> DatabaseSession? {
        let node = world.nodes[trouble.node]
        switch trouble.kind {
        case .nodeKilled:
            node.killNow()
            counted[trouble.node] = 0
        case .nodeFrozen: node.freeze()
        case .nodeCutOff(let loss): try await world.network.cut(trouble.node, losing: loss)
        case .nodeSlowed(let delay): try await world.network.delay(trouble.node, by: delay)
        case .databaseKilled: world.database.killNow()
        case .diskFull: try world.disk.fill()
        case .tableLocked(let table): return try world.database.lock(table, for: trouble.length)
        case .indexBuilt(let table): return try world.database.buildIndex(on: table, for: trouble.length)
        case .dumped: return try world.database.dump()
        }
        return nil
    }

    private func end(_ trouble: Trouble) async throws {
        let node = world.nodes[trouble.node]
        switch trouble.kind {
        case .nodeKilled: try await node.start()
        case .nodeFrozen: node.thaw()
        case .nodeCutOff: try await world.network.heal(trouble.node)
        case .nodeSlowed: try await world.network.delay(trouble.node, by: .zero)
        case .databaseKilled: try world.database.start()
        case .diskFull:
            let refused = try world.disk.clear()
            report.writesRefused = refused
            #expect(refused > 0, "nothing wanted to grow")
            // Its log had no room either: then it has ended.
            if !world.database.isRunning { try world.database.start() }
        case .tableLocked, .indexBuilt, .dumped: break
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
}
