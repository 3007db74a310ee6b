import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonCommand

/// Three nodes on one PostgreSQL, and whatever may befall them in the middle of a campaign.
///
/// Counted at the simulated Apple. `CARILLON_FAULT_SEEDS` says how many seeds are tried; usually two.
@Suite(.serialized, .enabled(if: PostgreSQLServer.isInstalled)) struct ClusterTests {
    static let seeds = ProcessInfo.processInfo.environment["CARILLON_FAULT_SEEDS"].flatMap(Int.init) ?? 2
    private static let devices = 4_000

    @Test("Three nodes lose nothing and show nothing twice, whoever is killed, frozen or cut off")
    func troubledCluster() async throws {
        try await ClusterWorld.run(devices: Self.devices) { world in
            for seed in 1...Self.seeds {
                var run = ClusterRun(world: world, seed: seed)
                try await run.carryOut()
            }
            #expect(world.apple.counters().distinctProviderTokens <= 1, "nodes share one provider token")
        }
    }

    @Test("A firing that several nodes see begins once, though their clocks are minutes apart")
    func scheduledOnce() async throws {
        try await ClusterWorld.run(devices: 300) { world in
            world.apple.reset()
            // Late for the node that is ahead, in time for one, early for the one that is behind.
            var request = CampaignRequest(app: world.app, audience: .all, message: ClusterRun.message)
            request.sendAt = Timestamp(rawValue: Int64(Date().timeIntervalSince1970 * 1000) + 3_000)
            let campaign: Campaign = try await world.nodes[2].api.post("v1/campaigns", request)

            let funnel = try await world.untilSent(campaign.id)

            #expect(funnel.targeted == 300)
            #expect(funnel.accepted == 300)
            #expect(world.apple.counters().accepted == 300)
        }
    }
}

/// One campaign with one seed's misfortunes.
private struct ClusterRun {
    static let message = Message(content: ["default": LocalizedContent(title: "Bells", body: "At eight")])

    enum Misfortune: CaseIterable {
        case nodeKilled, nodeFrozen, nodeCutOff, databaseKilled
    }

    let world: ClusterWorld
    let seed: Int
    private var dice: Dice
    private var story: [String] = []
    private var cutOff: Set<Int> = []

    init(world: ClusterWorld, seed: Int) {
        self.world = world
        self.seed = seed
        dice = Dice(seed: seed)
    }

    mutating func carryOut() async throws {
        world.apple.reset()
        let devices = world.deviceCount
        // One node is always left alone: somebody has to be there to take over.
        let spared = dice.number(below: ClusterWorld.nodeCount)
        let others = (0..<ClusterWorld.nodeCount).filter { $0 != spared }
        let points = (0..<2).map { _ in dice.number(below: devices * 3 / 4) }.sorted()
        let api = world.nodes[dice.number(below: ClusterWorld.nodeCount)].api
        let campaign: Campaign = try await api.post(
            "v1/campaigns",
            CampaignRequest(app: world.app, audience: .all, message: Self.message)
        )
        for (point, node) in zip(points, others) {
            try await world.untilAccepted(point)
            let misfortune = Misfortune.allCases[dice.number(below: Misfortune.allCases.count)]
            story.append("\(misfortune) of \(node) at \(point)")
            try await befall(misfortune, node)
        }
        let funnel = try await world.untilSent(campaign.id, asking: spared)
        try await mend()

        let counters = world.apple.counters()
        let about = "seed \(seed): " + story.joined(separator: ", ")
        #expect(counters.distinctTokensAccepted == devices, "\(about)")
        #expect(counters.shownTwice == 0, "\(about)")
        #expect(funnel.targeted == devices, "\(about)")
        #expect(funnel.accepted == devices, "\(about)")
        #expect(funnel.failed.isEmpty, "\(about)")
        let after: Funnel = try await world.nodes[spared].api.get("v1/campaigns/\(campaign.id)/funnel")
        #expect(after == funnel, "what comes too late is refused; \(about)")
        #expect(counters.distinctProviderTokens == 1, "\(about)")
    }

    private mutating func befall(_ misfortune: Misfortune, _ node: Int) async throws {
        switch misfortune {
        case .nodeKilled: world.nodes[node].killNow()
        case .nodeFrozen: world.nodes[node].freeze()
        case .nodeCutOff:
            try await world.network.cut(node)
            cutOff.insert(node)
        case .databaseKilled:
            world.database.killNow()
            try world.database.start()
        }
    }

    /// Gives back what was taken, and waits until everybody is well again.
    private mutating func mend() async throws {
        for node in cutOff { try await world.network.heal(node) }
        cutOff = []
        for node in world.nodes {
            if node.isFrozen { node.thaw() }
            if !node.isRunning { try await node.start() }
        }
        for node in world.nodes { try await world.untilWell(node) }
    }
}

extension ClusterWorld {
    /// Waits until the simulated Apple has accepted so many.
    func untilAccepted(_ count: Int) async throws {
        try await until("\(count) notifications are accepted") { apple.counters().accepted >= count }
    }

    /// Waits until a campaign is over, as a node sees it.
    func untilSent(_ campaign: CampaignID, asking node: Int = 0) async throws -> Funnel {
        let api = nodes[node].api
        try await until("the campaign is sent") {
            // The database may be away.
            guard let now: Campaign = try? await api.get("v1/campaigns/\(campaign)") else { return false }
            try #require(now.state != .paused, "paused: \(now.alarm ?? "")")
            return now.state == .sent
        }
        return try await api.get("v1/campaigns/\(campaign)/funnel")
    }

    /// Waits until a node answers from the database.
    func untilWell(_ node: ClusterNode) async throws {
        try await until("a node is well") {
            let page: Page<Campaign>? = try? await node.api.get("v1/campaigns", ["limit": "1"])
            return page != nil
        }
    }

    private func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(180)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "It took too long until \(what): \(apple.counters())")
            // Whoever asks the counters alone would spin.
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
