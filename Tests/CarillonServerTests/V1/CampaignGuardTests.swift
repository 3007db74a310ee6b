import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct CampaignGuardTests {
    private static let campaign = "{\"audience\":{\"all\":true},\(CampaignTests.message)}"
    private static let registration = """
        {"token":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff","consent":{"notifications":true}}
        """
    private static let author = OperatorID(rawValue: 1)

    /// An App with one Device, whose Campaigns of any size need approval.
    private static func makeApp(_ server: TestServer, appliesToKeys: Bool) async throws -> AppID {
        let app = try await server.makeApp()
        let guards = "{\"sendGuards\":{\"confirmAbove\":0,\"approveAbove\":0,\"appliesToKeys\":\(appliesToKeys)}}"
        let changed = try await server.send(.patch, "/v1/apps/\(app.app.id)", guards, key: server.serverKey)
        let shown = try changed.decoded(App.self).sendGuards
        #expect((shown.confirmAbove, shown.approveAbove, shown.hold) == (0, 0, 60))
        let registration = try await server.send(
            .put,
            "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
            Self.registration,
            headers: server.device(app)
        )
        #expect(registration.status == .created, "\(String(buffer: registration.body))")
        return app.app.id
    }

    @Test("K-53 A key's Campaign waits for an Operator; no call of the API approves or sends it")
    func approval() async throws {
        try await TestServer.run { server in
            let app = try await Self.makeApp(server, appliesToKeys: true)
            let key = try await server.makeKey(app, .send, .read)

            let made = try await server.send(.post, "/v1/campaigns", Self.campaign, key: key)
            let campaign = try made.decoded(Campaign.self)
            #expect(made.status == .created, "\(String(buffer: made.body))")
            #expect((campaign.state, campaign.approval?.reach, campaign.version) == (.needsApproval, 1, 1))
            let path = "/v1/campaigns/\(campaign.id)"
            let listed = try await server.send(.get, "/v1/approvals", key: key).decoded(Page<Campaign>.self)
            #expect(listed.items == [campaign])
            #expect(try await server.send(.post, path + "/send", key: key).problem == "conflict")
            #expect(try await server.send(.post, path + "/resume", key: key).problem == "conflict")
            #expect(try await server.send(.post, path + "/undo", key: key).problem == "conflict")
            #expect(try await server.send(.post, path + "/send-now", key: key).problem == "conflict")
            #expect(try await server.send(.post, path + "/approval/approve", key: key).problem == "unknown-path")
            #expect(try await server.send(.post, path + "/approval", key: key).problem == "unknown-path")

            let approved = try await server.engine.campaigns.approve(
                campaign.id,
                within: app,
                version: 1,
                reach: 1,
                by: Self.author
            )
            guard case .held = approved else {
                Issue.record("\(approved)")
                return
            }
            let held = try await server.send(.get, path, key: key).decoded(Campaign.self)
            #expect((held.state, held.heldUntil) == (.held, server.clock.now().advanced(by: .seconds(60))))
            #expect(try await server.send(.post, path + "/send-now", key: key).problem == "conflict")
            let undone = try await server.send(.post, path + "/undo", key: key).decoded(Campaign.self)
            #expect((undone.state, undone.approval?.outcome) == (.draft, .voided))
        }
    }

    @Test("A request is refused with a reason, withdrawn, and its Campaign undone")
    func decisions() async throws {
        try await TestServer.run { server in
            let app = try await Self.makeApp(server, appliesToKeys: true)
            let key = try await server.makeKey(app, .send, .read)
            func make() async throws -> String {
                let made = try await server.send(.post, "/v1/campaigns", Self.campaign, key: key)
                return "/v1/campaigns/\(try made.decoded(Campaign.self).id)"
            }

            let first = try await make()
            #expect(try await server.send(.post, first + "/approval/refuse", "{}", key: key).field == "reason")
            let body = #"{"reason":"The link is wrong."}"#
            let refused = try await server.send(.post, first + "/approval/refuse", body, key: key)
            let campaign = try refused.decoded(Campaign.self)
            #expect((campaign.state, campaign.approval?.reason) == (.refused, "The link is wrong."))
            #expect(try await server.send(.post, first + "/send", key: key).problem == "conflict")
            let edited = try await server.send(.patch, first, #"{"name":"Better"}"#, key: key).decoded(Campaign.self)
            #expect((edited.state, edited.approval?.outcome) == (.draft, .refused))

            let second = try await make()
            let withdrawn = try await server.send(.post, second + "/approval/withdraw", key: key)
            #expect(try withdrawn.decoded(Campaign.self).state == .draft)
            #expect(try await server.send(.delete, second, key: key).status == .noContent)
        }
    }

    @Test("K-57 PATCH names the version that was read, and an outdated one gets 409")
    func versions() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .send, .read)
            let made = try await server.send(.post, "/v1/campaigns", #"{"draft":true,"name":"Spring"}"#, key: key)
            let draft = try made.decoded(Campaign.self)
            let path = "/v1/campaigns/\(draft.id)"
            #expect((draft.version, draft.undecided) == (1, [.audience, .message]))
            let refused = try await server.send(.post, path + "/send", key: key)
            #expect(try refused.decoded(Problem.self).errors?.map(\.field) == ["audience", "message"])

            let change = "{\"version\":1,\"audience\":{\"all\":true},\(CampaignTests.message)}"
            let saved = try await server.send(.patch, path, change, key: key).decoded(Campaign.self)
            #expect((saved.version, saved.undecided) == (2, nil))
            let outdated = try await server.send(.patch, path, #"{"version":1,"name":"Mine"}"#, key: key)
            #expect(outdated.problem == "conflict")
            #expect(try outdated.decoded(Problem.self).detail?.contains("version 2") == true)
            #expect(try await server.send(.get, path, key: key).decoded(Campaign.self) == saved)
            #expect(try await server.send(.patch, path, #"{"version":2,"name":"Mine"}"#, key: key).status == .ok)
        }
    }

    @Test("K-58 A Campaign above a key's cap gets 403 with cap and reach, and is not made")
    func caps() async throws {
        try await TestServer.run { server in
            let app = try await Self.makeApp(server, appliesToKeys: false)
            let body = #"{"name":"Back end","scopes":["send","read"],"recipientsPerCampaign":1,"recipientsPerHour":1}"#
            let made = try await server.send(.post, "/v1/keys?app=\(app)", body, key: server.serverKey)
            let key = try made.decoded(APIKeySecret.self)
            #expect((key.key.recipientsPerCampaign, key.key.recipientsPerHour) == (1, 1))
            #expect(try await server.send(.post, "/v1/campaigns", Self.campaign, key: key.secret).status == .created)

            let refused = try await server.send(.post, "/v1/campaigns", Self.campaign, key: key.secret)

            #expect((refused.status, refused.problem) == (.forbidden, "too-many-recipients"))
            let detail = try refused.decoded(Problem.self).detail
            let words = "It reaches 1 Devices, the key's campaigns of this hour have reached 1, and they may reach 1."
            #expect(detail == words + " Nothing was sent.")
            let listed = try await server.send(.get, "/v1/campaigns", key: key.secret).decoded(Page<Campaign>.self)
            #expect(listed.items.count == 1)
            let none = #"{"name":"Whole","scopes":["send"],"recipientsPerCampaign":null,"recipientsPerHour":null}"#
            let whole = try await server.send(.post, "/v1/keys?app=\(app)", none, key: server.serverKey)
            #expect(try whole.decoded(APIKeySecret.self).key.recipientsPerCampaign == nil)
        }
    }
}
