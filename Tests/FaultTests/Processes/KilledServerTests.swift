import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

/// A server that is killed, frozen or cut off in the middle of a campaign.
///
/// Counted at the simulated Apple. `CARILLON_FAULT_SEEDS` says which seeds are tried; usually one.
@Suite(.serialized) struct KilledServerTests {
    static let seeds = SeedRange(1).all
    /// Notifications that may be under way when a server dies.
    private static let window = FaultWorld.unanswered

    /// Sends a campaign to its end through a server that is killed and started again at each point.
    private func send(
        in world: FaultWorld,
        killedAt points: [Int],
        isTransactional: Bool = false
    ) async throws -> Funnel {
        var (process, api) = try await world.startServer()
        defer { process.killNow() }
        let campaign = try await world.send(api, isTransactional: isTransactional)
        for point in points {
            try await world.untilAccepted(point, api, campaign)
            process.killNow()
            (process, api) = try await world.startServer()
        }
        return try await world.untilSent(api, campaign)
    }

    @Test("A server killed at any point of a campaign loses nothing and shows nothing twice", arguments: seeds)
    func killedAndStartedAgain(_ seed: Int) async throws {
        var jitter = Jitter(seed: seed)
        let points = (0..<3).map { _ in jitter.number(below: 20_000) }.sorted()
        try await FaultWorld.run(devices: 20_000) { world in
            let funnel = try await send(in: world, killedAt: points)

            let counters = world.apple.counters()
            #expect(counters.distinctTokensAccepted == 20_000, "seed \(seed), killed at \(points)")
            #expect(counters.shownTwice == 0)
            #expect(funnel.targeted == 20_000)
            #expect(funnel.accepted == 20_000)
            #expect(counters.accepted - 20_000 <= points.count * Self.window)
            #expect(counters.realerted <= counters.accepted - 20_000)
            #expect(counters.distinctProviderTokens == 1, "a restart mints no second provider token")
        }
    }

    @Test(
        "However long answers take, a killed server repeats no more than it may have unanswered",
        arguments: [false, true]
    )
    func killedWhileAnswersTakeLong(isTransactional: Bool) async throws {
        let devices = isTransactional ? 1_000 : 6_000
        let bound = isTransactional ? FaultWorld.unansweredTransactional : FaultWorld.unanswered
        let points = [devices / 4, devices / 2]
        try await FaultWorld.run(devices: devices) { world in
            var slow = Fault(.answer)
            slow.latency = .uniform(.milliseconds(500), .milliseconds(1_500))
            world.apple.inject(slow)
            let funnel = try await send(in: world, killedAt: points, isTransactional: isTransactional)

            let counters = world.apple.counters()
            let repeated = counters.accepted - devices
            #expect(counters.distinctTokensAccepted == devices)
            #expect(counters.shownTwice == 0)
            #expect(funnel.accepted == devices)
            #expect(repeated > 0, "answers were awaited when it was killed")
            #expect(repeated <= points.count * bound, "\(repeated) were sent again")
        }
    }

    @Test("A server frozen past its lease sends at most a batch of each chunk again", arguments: seeds)
    func frozenPastItsLease(_ seed: Int) async throws {
        var jitter = Jitter(seed: seed)
        let point = jitter.number(below: 4_000)
        try await FaultWorld.run(devices: 5_000) { world in
            let (process, api) = try await world.startServer(["--lease-seconds", "1"])
            let campaign = try await world.send(api)
            try await world.untilAccepted(point, api, campaign)

            process.send(SIGSTOP)
            let thaw = ContinuousClock.now + .milliseconds(1_500)
            try await world.until("the lease is over") { ContinuousClock.now > thaw }
            process.send(SIGCONT)
            let funnel = try await world.untilSent(api, campaign)

            let counters = world.apple.counters()
            #expect(counters.distinctTokensAccepted == 5_000, "seed \(seed), frozen at \(point)")
            #expect(funnel.accepted == 5_000)
            #expect(counters.shownTwice == 0)
            #expect(counters.accepted - 5_000 <= 4 * 3 * 250)
            process.killNow()
        }
    }

    @Test("A server asked to stop finishes or gives back what it has in hand")
    func stoppedInOrder() async throws {
        try await FaultWorld.run(devices: 5_000) { world in
            var (process, api) = try await world.startServer()
            let campaign = try await world.send(api)
            try await world.untilAccepted(1_000, api, campaign)

            process.send(SIGTERM)
            #expect(await process.ended() == 0)
            (process, api) = try await world.startServer()
            let funnel = try await world.untilSent(api, campaign)

            #expect(world.apple.counters().accepted == 5_000, "nothing is sent again after an orderly end")
            #expect(funnel.accepted == 5_000)
            process.killNow()
        }
    }
}

/// Numbers that come again with the same seed (SplitMix64).
struct Jitter {
    private var state: UInt64

    init(seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 }

    mutating func number(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
