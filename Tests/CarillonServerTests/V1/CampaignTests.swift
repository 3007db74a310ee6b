import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct CampaignTests {
    static let message = #""message":{"content":{"default":{"title":"Late","body":"Ten minutes."}}}"#
    static let draft = "{\"audience\":{\"all\":true},\"draft\":true,\(message)}"

    @Test("A draft is created, shown, listed and sent")
    func createsDraft() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .send, .read)

            let made = try await server.send(.post, "/v1/campaigns", Self.draft, key: key)
            let campaign = try made.decoded(Campaign.self)
            #expect(made.status == .created)
            #expect(made.headers[.location] == "/v1/campaigns/\(campaign.id)")
            #expect(campaign.state == .draft && campaign.app == app)

            let path = "/v1/campaigns/\(campaign.id)"
            #expect(try await server.send(.get, path, key: key).decoded(Campaign.self) == campaign)
            #expect(
                try await server.send(.get, "/v1/campaigns", key: key).decoded(Page<Campaign>.self).items == [campaign]
            )
            #expect(try await server.send(.get, path + "/funnel", key: key).decoded(Funnel.self) == Funnel())
            #expect(
                try await server.send(.get, path + "/failures", key: key).decoded(Page<FailureCount>.self).items.isEmpty
            )
            #expect(
                try await server.send(.get, path + "/deliveries", key: key).decoded(Page<Delivery>.self).items.isEmpty
            )

            #expect(try await server.send(.post, path + "/send", key: key).decoded(Campaign.self).state == .sending)
            #expect(try await server.send(.post, path + "/send", key: key).problem == "conflict")
            let cancelled = try await server.send(.post, path + "/cancel", key: key).decoded(Campaign.self).state
            #expect([.cancelling, .cancelled].contains(cancelled))
        }
    }

    @Test("A key of the server names the App; a key of one App need not and cannot name another")
    func namesApp() async throws {
        try await TestServer.run { server in
            let own = try await server.makeApp().app.id
            let other = try await server.makeApp().app.id
            let key = try await server.makeKey(own, .send, .read)
            func path(_ app: AppID) -> String { "/v1/campaigns?app=\(app)" }

            #expect(try await server.send(.post, "/v1/campaigns", Self.draft, key: server.serverKey).field == "app")
            #expect(try await server.send(.post, path(other), Self.draft, key: key).problem == "unknown-app")
            let made = try await server.send(.post, path(other), Self.draft, key: server.serverKey)
            let id = try made.decoded(Campaign.self).id
            for path in ["", "/funnel", "/failures", "/deliveries"] {
                #expect(
                    try await server.send(.get, "/v1/campaigns/\(id)\(path)", key: key).problem == "unknown-campaign"
                )
            }
            for path in ["/send", "/cancel", "/progress-ticket"] {
                #expect(
                    try await server.send(.post, "/v1/campaigns/\(id)\(path)", key: key).problem == "unknown-campaign"
                )
            }
            #expect(try await server.send(.get, "/v1/campaigns?app=\(other)", key: key).problem == "unknown-app")
            let unknown = try await server.send(
                .post,
                path(AppID(rawValue: 1)),
                Self.draft,
                key: server.serverKey
            )
            #expect(unknown.problem == "unknown-app")
        }
    }

    @Test("Campaigns are listed newest first, in pages")
    func pages() async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send, .read)
            var made: [CampaignID] = []
            for _ in 0..<5 {
                made.append(
                    try await server.send(.post, "/v1/campaigns", Self.draft, key: key).decoded(Campaign.self).id
                )
            }

            var listed: [CampaignID] = []
            var cursor: String?
            repeat {
                let path = "/v1/campaigns?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")
                let page = try await server.send(.get, path, key: key).decoded(Page<Campaign>.self)
                listed += page.items.map(\.id)
                cursor = page.nextCursor
            } while cursor != nil

            #expect(listed == made.reversed())
        }
    }

    @Test("A test send is an unlisted Campaign")
    func hidesTests() async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send, .read)
            let body = "{\"device\":\"3f2504e0-4f89-41d3-9a0c-0305e82c3301\",\(Self.message)}"

            let answer = try await server.send(.post, "/v1/test-send", body, key: key)

            let campaign = try answer.decoded(Campaign.self)
            #expect(answer.status == .created)
            #expect(try await server.send(.get, "/v1/campaigns", key: key).decoded(Page<Campaign>.self).items.isEmpty)
            #expect(try await server.send(.get, "/v1/campaigns/\(campaign.id)", key: key).status == .ok)
        }
    }

    @Test("A message that renders too large is refused by its language")
    func namesLargeContent() async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send)
            let long = String(repeating: "長", count: 2_000)
            let body = """
                {"audience":{"all":true},"message":{"content":{"default":{"title":"t"},"ja":{"body":"\(long)"}}}}
                """

            let answer = try await server.send(.post, "/v1/campaigns", body, key: key)

            #expect(answer.problem == "invalid-field" && answer.field == "message.content.ja")
        }
    }
}
