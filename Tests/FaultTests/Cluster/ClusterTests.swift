import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import Testing

@testable import CarillonCommand

/// Three nodes on one PostgreSQL, and whatever may befall them in the middle of a campaign.
///
/// Counted at the simulated Apple. `CARILLON_FAULT_SEEDS` says which seeds are tried, as `100` or `37-37`.
@Suite(.serialized) struct ClusterTests {
    private static let devices = 4_000
    /// Seeds share a world, a few at a time.
    private static let worlds = SeedRange(2).chunks(of: 10)

    @Test(
        "Three nodes lose nothing and show nothing twice, whoever is killed, frozen or cut off",
        arguments: worlds
    )
    func troubledCluster(_ seeds: ClosedRange<Int>) async throws {
        try await ClusterWorld.run(devices: Self.devices) { world in
            for seed in seeds { try await ClusterRun(world: world, seed: seed).carryOut() }
        }
    }

    @Test(
        "The same through relays; and nobody sends anything again because the database was away for longer than a lease"
    )
    func troubledRelays() async throws {
        try await ClusterWorld.run(devices: 1_500, network: RelayNetwork()) { world in
            let cuts = [
                Trouble(.nodeCutOff(.answers), of: 0, after: 300, for: .seconds(12)),
                Trouble(.nodeCutOff(.requests), of: 1, after: 500, for: .seconds(4)),
            ]
            try await ClusterRun(world: world, seed: 1, cuts).carryOut()
            // For longer than a lease.
            let outage = [Trouble(.databaseKilled, of: 0, after: 500, for: .seconds(12))]
            try await ClusterRun(world: world, seed: 2, outage).carryOut()
        }
    }

    @Test("A firing that several nodes see begins once, though their clocks are minutes apart")
    func scheduledOnce() async throws {
        try await ClusterWorld.run(devices: 300) { world in
            world.apple.reset()
            // Late for the node that is ahead, in time for one, early for the one that is behind.
            var request = CampaignRequest(audience: .all, message: ClusterRun.message)
            request.sendAt = Timestamp(rawValue: Int64(Date().timeIntervalSince1970 * 1000) + 3_000)
            let campaign: Campaign = try await world.nodes[2].api.post(
                "v1/campaigns",
                ["app": world.app.description],
                request
            )

            let funnel = try await world.untilSent(campaign.id)

            #expect(funnel.targeted == 300)
            #expect(funnel.accepted == 300)
            #expect(world.apple.counters().accepted == 300)
        }
    }
}

/// Which seeds are tried: `CARILLON_FAULT_SEEDS` says how many, or the first and the last, as `37-37`.
struct SeedRange {
    let all: ClosedRange<Int>

    init(_ usual: Int) {
        let text = ProcessInfo.processInfo.environment["CARILLON_FAULT_SEEDS"] ?? ""
        let ends = text.split(separator: "-").compactMap { Int($0) }
        let last = max(1, ends.last ?? usual)
        all = min(last, ends.count == 2 ? ends[0] : 1)...last
    }

    func chunks(of size: Int) -> [ClosedRange<Int>] {
        stride(from: all.lowerBound, through: all.upperBound, by: size).map { first in
            first...min(first + size - 1, all.upperBound)
        }
    }
}
