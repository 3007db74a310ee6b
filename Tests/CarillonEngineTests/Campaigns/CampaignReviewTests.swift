import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@testable import CarillonEngine

/// What the review of a draft finds.
@Suite(.timeLimit(.minutes(1)))
struct CampaignReviewTests {
    private func language(_ tag: String) -> Audience { .rule(.term(.text(.language, .isEqual(tag)))) }

    @Test("The largest reach of late leaves out who was skipped")
    func largestReach() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(5) { .init(consent: $0 < 2 ? [] : [.notifications]) }
        let sent = try await world.campaigns.create(app: world.app, world.request())
        try await world.finish(sent.id)
        let first = OccurrenceID(milliseconds: 0, sequence: 0)
        let largest = try await world.stores.campaigns.largestReach(of: world.app, since: first)
        #expect(largest == world.sender.sent.count && world.sender.sent.count < 5)
    }

    @Test("K-45 the people of ten Campaigns are compared; further ones with the same content may be the same")
    func comparesFew() async throws {
        let guarded = try await GuardWorld(reach: 3)
        let world = guarded.world
        var request = world.request()
        // A long list is not read.
        request.audience = .users((0..<1_000).compactMap { UserID(rawValue: "a-user-with-a-long-id-\($0)") })
        let list = try await world.campaigns.create(app: world.app, request)
        request.audience = language("xx")
        var others: [CampaignID] = []
        for _ in 0..<12 { others.append(try await world.campaigns.create(app: world.app, request).id) }
        let draft = try await guarded.draft { update in
            update.audience = self.language("yy")
            update.message = request.message
        }

        let checks = try await guarded.campaigns.checks(of: draft, ReachFigures())

        let found = checks.filter { $0.kind == .sameContent }.compactMap(\.subject)
        #expect(found == [others[1], others[0], list.id].map(\.description))
        let latest = try await world.stores.campaigns.latest(app: world.app, limit: 100)
        #expect(latest.first { $0.id == list.id }?.audience == .redacted)
        #expect(latest.first { $0.id == others[0] }?.audience == request.audience)
    }
}
