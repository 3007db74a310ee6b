import Carillon
import CarillonModel
import CarillonOperatorModel
import Foundation
import PhoneSimulator
import Testing

@testable import CarillonCommand

/// From the SDK to the screen and back, over real sockets: server, simulated Apple and phones in this process.
@Suite struct MainJobTests {
    @Test("A campaign reaches every phone once, and what people do moves the funnel")
    func campaignToAllPhones() async throws {
        try await EndToEndWorld.run(phones: 20) { world in
            let funnel = try await world.sendAndSettle(audience: .all)

            let statistics = world.fleet.statistics
            #expect(funnel.targeted == 20)
            #expect(funnel.accepted == 20)
            #expect(funnel.received == 20)
            #expect(funnel.opened == statistics.opened)
            #expect(funnel.dismissed == statistics.dismissed)
            #expect(funnel.actions == statistics.actions)
            #expect(statistics.opened > 0)
            #expect(statistics.shown == 20)
            #expect(statistics.shownTwice == 0)
            #expect(statistics.complaints == 0)
        }
    }

    @Test("A campaign to Users reaches their phones alone")
    func campaignToUsers() async throws {
        try await EndToEndWorld.run(phones: 6) { world in
            let users = ["person-1", "person-4", "nobody"].compactMap(UserID.init(rawValue:))

            let funnel = try await world.sendAndSettle(audience: .users(users))

            #expect(funnel.targeted == 2)
            #expect(funnel.received == 2)
            #expect(world.fleet.statistics.shown == 2)
        }
    }

    @Test("Whoever withdraws consent gets nothing, and the funnel says why")
    func withdrawnConsent() async throws {
        try await EndToEndWorld.run(phones: 3) { world in
            let app = try #require(await world.fleet.phones[1].app)
            try await app.carillon.client.setConsent(Consent(notifications: false))

            let funnel = try await world.sendAndSettle(audience: .all)

            #expect(funnel.targeted == 3)
            #expect(funnel.accepted == 2)
            #expect(funnel.skipped.values.reduce(0, +) == 1)
            #expect(world.fleet.statistics.shown == 2)
        }
    }

    @Test("C-59, C-60 A token that Apple calls dead is counted as the token's fault, and not used again")
    func deadTokenIsBlamed() async throws {
        try await EndToEndWorld.run(phones: 2) { world in
            try await world.expire(phone: 0, at: Timestamp(Date()).rawValue + 86_400_000)
            _ = try await world.sendAndSettle(audience: .all)
            #expect(try await world.sendAndSettle(audience: .all).targeted == 1)

            let series: StatisticsSeries = try await world.running.api.get("v1/statistics", ["app": "\(world.app)"])
            #expect(series.total.failed == ["Unregistered": 1])
            #expect((series.total.failedByToken, series.total.failedOtherwise) == (1, 0))
            #expect(series.total.accepted == 2)
        }
    }

    @Test("A token that Apple calls dead is dropped, unless it was registered again since", arguments: [true, false])
    func deadToken(_ isDeadSinceRegistration: Bool) async throws {
        try await EndToEndWorld.run(phones: 2) { world in
            let day: Int64 = 86_400_000
            let now = Timestamp(Date()).rawValue
            let since = isDeadSinceRegistration ? now + day : now - day
            try await world.expire(phone: 0, at: since)

            let first = try await world.sendAndSettle(audience: .all)
            let second = try await world.sendAndSettle(audience: .all)

            #expect(first.failed == ["Unregistered": 1])
            #expect(first.accepted == 1)
            #expect(second.targeted == (isDeadSinceRegistration ? 1 : 2))
        }
    }

    @Test("K-67 A paused App sends nothing to Apple until it is resumed, and each phone gets one then")
    func pausedApp() async throws {
        try await EndToEndWorld.run(phones: 6) { world in
            let api = world.running.api
            let _: App = try await api.post("v1/apps/\(world.app)/pause-sending")
            let request = CampaignRequest(audience: .all, message: DemoMessage.message)
            let campaign: Campaign = try await api.post("v1/campaigns", ["app": "\(world.app)"], request)
            #expect(campaign.state == .sending)

            let resumed = Timestamp(Date())
            let _: App = try await api.post("v1/apps/\(world.app)/resume-sending")

            #expect(await world.fleet.wait(delivered: 6, within: 60) == 0)
            let path = "v1/campaigns/\(campaign.id)/deliveries"
            let deliveries: Page<Delivery> = try await api.get(path)
            #expect(deliveries.items.allSatisfy { $0.at >= resumed })
            #expect(world.fleet.statistics.shown == 6 && world.fleet.statistics.shownTwice == 0)
        }
    }
}
