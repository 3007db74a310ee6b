import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import Testing

@testable import CarillonCommand

/// Three nodes whose database is in trouble, or whose other App is.
///
/// `CARILLON_FAULT_SEEDS` says which seeds are tried; `CARILLON_FAULT_LOCK_SECONDS` how long tables are locked.
@Suite(.serialized) struct TroubledStoreTests {
    private static let devices = 4_000
    private static let others = 1_000
    private static let worlds = SeedRange(3).chunks(of: 8)

    @Test(
        "Locked tables, index builds, dumps, a full disk and late answers lose nothing and repeat nothing",
        arguments: worlds
    )
    func troubledStore(_ seeds: ClosedRange<Int>) async throws {
        try await ClusterWorld.run(devices: Self.devices, others: Self.others, network: RelayNetwork()) { world in
            let usual = try await world.usualSeconds()
            for seed in seeds {
                let count = ClusterWorld.nodeCount
                let troubles = Trouble.storeTroubles(of: seed, devices: Self.devices, nodes: count)
                try await ClusterRun(world: world, seed: seed, suite: "store", usual: usual, troubles).carryOut()
            }
        }
    }

    @Test("An App whose Chunks always fail is paused with an alarm, and another one ends within twice its usual time")
    func failingApp() async throws {
        let roles: [ServerRole] = [.all, .api, .dispatch]
        try await ClusterWorld.run(
            devices: 600,
            others: Self.others,
            network: RelayNetwork(),
            roles: roles,
            settings: ["CARILLON_DISPATCHER_FAILURE_LIMIT=4"]
        ) { world in
            let key = "FROM app_secrets WHERE app_id = \(world.app.rawValue)"
            let secret = try world.database.ask("SELECT encode(receipt_key, 'hex') \(key)")
            try world.database.setReceiptKey("00", of: world.app)
            // The node that took the registrations remembers the key for some seconds.
            world.nodes[0].killNow()
            try await world.nodes[0].start()
            let other = try await world.secondsOfOther()

            let failing = try await world.campaign(ClusterRun.message, asking: 0)
            try await world.until("its work fails") {
                try await Task.sleep(for: .milliseconds(50))
                var failures = 0
                for node in [0, 2] { failures += await world.nodes[node].metric(.workFailures) ?? 0 }
                return failures > 0
            }
            let beside = try await world.secondsOfOther()
            let paused = try await world.untilState(.paused, of: failing.id, asking: 1)

            #expect(beside <= 2 * other, "\(beside) s beside it, \(other) s alone")
            #expect(paused.alarm?.hasPrefix("WorkFailed: ") == true, "\(paused.alarm ?? "")")
            #expect(try await world.funnel(failing.id, asking: 0).accepted == 0)

            // Mended, and resumed through a node that sends nothing itself.
            try world.database.setReceiptKey(secret, of: world.app)
            let _: Campaign = try await world.nodes[1].api.post("v1/campaigns/\(failing.id)/resume")
            let funnel = try await world.untilSent(failing.id, asking: 1)
            #expect(funnel.accepted == 600)
            #expect(world.apple.counters().shownTwice == 0)
        }
    }

    @Test("What is paused through one node and resumed through another goes on at all of them")
    func resumedThroughAnother() async throws {
        let roles: [ServerRole] = [.all, .api, .dispatch]
        try await ClusterWorld.run(devices: Self.devices, network: RelayNetwork(), roles: roles) { world in
            world.apple.reset()
            world.apple.inject(ClusterWorld.slowness)
            let campaign = try await world.campaign(ClusterRun.message, asking: 1)
            try await world.until("some are accepted") { world.apple.counters().accepted >= 400 }
            let _: Campaign = try await world.nodes[1].api.post("v1/campaigns/\(campaign.id)/pause")
            for node in [0, 2] { try await world.untilIdle(dispatching: node) }
            let accepted = world.apple.counters().accepted
            #expect(accepted < Self.devices)

            let _: Campaign = try await world.nodes[0].api.post("v1/campaigns/\(campaign.id)/resume")
            var working: Set<Int> = []
            try await world.until("the campaign is sent") {
                for node in [0, 2] where await world.nodes[node].metric(.chunksUnderWay) ?? 0 > 0 {
                    working.insert(node)
                }
                return try await world.isSent(campaign.id, asking: 1)
            }

            #expect(working == [0, 2], "both nodes that send go on after \(accepted)")
            #expect(world.apple.counters().accepted == Self.devices)
            #expect(world.apple.counters().distinctTokensAccepted == Self.devices)
            #expect(try world.database.ask(ClusterRun.rows(campaign.id)) == "\(Self.devices)|\(Self.devices)|0|0|0")
        }
    }

    @Test("A write that met a lock is tried again soon on each node, whose wall clocks are minutes apart")
    func wrongClocks() async throws {
        try await ClusterWorld.run(devices: 0, network: RelayNetwork()) { world in
            for (number, node) in world.nodes.enumerated() {
                let request = AppRequest(name: "Locked", bundleID: "com.example.locked\(number)", identity: .open)
                let lock = try world.database.lockAgainstWrites("apps", for: .seconds(1))
                try await world.until("the table is locked") {
                    try await Task.sleep(for: .milliseconds(20))
                    return try world.database.isLockedAgainstWrites("apps")
                }
                let _: AppSecrets = try await node.api.post("v1/apps", request)
                try lock.finish()
            }
        }
    }

    @Test(
        "When Apple calls one token in a hundred unregistered, each is dropped and counted, though devices are locked"
    )
    func unregisteredTokens() async throws {
        try await ClusterWorld.run(devices: 2_000, network: RelayNetwork()) { world in
            world.apple.reset()
            world.apple.inject(ClusterWorld.slowness)
            var unregistered = Fault(.answer, status: 410, reason: "Unregistered")
            unregistered.percent = 1
            // After the registration by the clock of any node.
            unregistered.timestamp = SimulatedTime(seconds: Int64(Date().timeIntervalSince1970) + 600)
            world.apple.inject(unregistered)
            let campaign = try await world.campaign(ClusterRun.message, asking: 0)
            try await world.until("some are accepted") { world.apple.counters().accepted >= 500 }
            let lock = try world.database.lock("devices", for: .seconds(3))
            let funnel = try await world.untilSent(campaign.id)
            try lock.finish()

            let refused = world.apple.counters().results["Unregistered"] ?? 0
            #expect((5...60).contains(refused), "one in a hundred of 2,000")
            #expect(funnel.failed == ["Unregistered": refused])
            #expect(funnel.targeted == 2_000)
            #expect(funnel.accepted == 2_000 - refused)
            #expect(world.apple.counters().distinctTokensAccepted == 2_000 - refused)

            // Verdicts are kept after the outcomes.
            try await world.until("the tokens are dropped") {
                var waiting = 0
                for node in world.nodes { waiting += await node.metric(.verdictsWaiting) ?? 1 }
                return waiting == 0
            }
            world.apple.reset()
            let next = try await world.campaign(ClusterRun.message, asking: 1)
            let later = try await world.untilSent(next.id, asking: 1)
            #expect(later.accepted == 2_000 - refused)
            #expect(world.apple.counters().accepted == 2_000 - refused, "nothing is sent to a dropped token")
        }
    }
}

extension PostgreSQLServer {
    /// Replaces an App's sealed receipt key.
    fileprivate func setReceiptKey(_ hexadecimal: String, of app: AppID) throws {
        let value = "decode('\(hexadecimal)', 'hex')"
        _ = try ask("UPDATE app_secrets SET receipt_key = \(value) WHERE app_id = \(app.rawValue)")
    }
}

extension ClusterWorld {
    /// How long a campaign of the other App takes.
    fileprivate func secondsOfOther() async throws -> Double {
        let begun = ContinuousClock.now
        apple.reset()
        apple.inject(Self.slowness)
        let campaign = try await campaign(ClusterRun.message, of: otherApp, asking: 0)
        let funnel = try await untilSent(campaign.id)
        #expect(funnel.accepted == otherDeviceCount)
        return (.now - begun).inSeconds
    }

    /// Waits until a campaign has a state, as a node sees it.
    fileprivate func untilState(
        _ state: Campaign.State,
        of campaign: CampaignID,
        asking node: Int
    ) async throws -> Campaign {
        var found: Campaign?
        try await until("the campaign is \(state)") {
            let now: Campaign = try await nodes[node].api.get("v1/campaigns/\(campaign)")
            found = now
            return now.state == state
        }
        return try #require(found)
    }

    /// Waits until a node that may have no API has nothing in hand.
    fileprivate func untilIdle(dispatching node: Int) async throws {
        try await until("node \(node) has nothing in hand") { await nodes[node].metric(.chunksUnderWay) == 0 }
    }
}
