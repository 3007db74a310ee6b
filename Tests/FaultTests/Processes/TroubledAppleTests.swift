import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

/// Apple's side misbehaves in the middle of a campaign; the server is a process of its own.
@Suite(.serialized) struct TroubledAppleTests {
    private static let devices = 3_000

    @Test("Every token is accepted once when Apple refuses a burst", arguments: [429, 500, 503])
    func refusesABurst(_ status: Int) async throws {
        let reasons = [429: "TooManyRequests", 500: "InternalServerError", 503: "ServiceUnavailable"]
        try await FaultWorld.run(devices: Self.devices) { world in
            world.apple.inject(Fault(.answer, count: 500, status: status, reason: reasons[status]))

            let counters = try await Self.sendAndFinish(world)

            #expect(counters.results[reasons[status] ?? ""] == 500)
            #expect(counters.accepted == Self.devices)
        }
    }

    @Test("Every token is accepted when connections break, and none is shown twice", arguments: Fault.Kind.breaking)
    func breaksConnections(_ kind: Fault.Kind) async throws {
        try await FaultWorld.run(devices: Self.devices) { world in
            for _ in 0..<3 { world.apple.inject(Fault(kind, count: 1)) }

            _ = try await Self.sendAndFinish(world)
        }
    }

    @Test("Every token is accepted when Apple is away in the middle of a campaign and comes back")
    func goesAwayAndComesBack() async throws {
        try await FaultWorld.run(devices: Self.devices) { world in
            let (process, api) = try await world.startServer()
            world.apple.inject(Fault(.close, count: 1))
            let campaign = try await world.send(api)
            world.apple.setAvailable(false)
            try await world.until("something waits to be tried again") {
                try await world.funnel(api, campaign).retrying > 0
            }

            world.apple.setAvailable(true)
            let funnel = try await world.untilSent(api, campaign)

            #expect(world.apple.counters().distinctTokensAccepted == Self.devices)
            #expect(world.apple.counters().shownTwice == 0)
            #expect(funnel.accepted == Self.devices)
            process.killNow()
        }
    }

    private static func sendAndFinish(_ world: FaultWorld) async throws -> Counters {
        let (process, api) = try await world.startServer()
        let campaign = try await world.send(api)
        let funnel = try await world.untilSent(api, campaign)
        let counters = world.apple.counters()
        #expect(counters.distinctTokensAccepted == devices)
        #expect(counters.shownTwice == 0)
        #expect(funnel.targeted == devices)
        #expect(funnel.accepted == devices)
        #expect(funnel.failed.isEmpty)
        process.killNow()
        return counters
    }
}

extension Fault.Kind {
    fileprivate static let breaking: [Fault.Kind] = [.reset, .goAway, .close]
}
