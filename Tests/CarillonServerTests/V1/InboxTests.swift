import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct InboxTests {
    private static let device = "0d9c2f5e-6d4e-4d36-9c1f-6b9b6f0a7f11"
    private static let path = "/v1/devices/\(device)/inbox"

    /// A Device with a token.
    private func register(_ server: TestServer, _ app: AppSecrets) async throws {
        let token = String(repeating: "ab", count: 32)
        let body = """
            {"token":"\(token)","pushType":"apns","consent":{"notifications":true,"ads":false,"nightAds":false},"language":"ja"}
            """
        let answer = try await server.send(
            .put,
            "/v1/devices/\(Self.device)",
            body,
            headers: server.device(app)
        )
        #expect(answer.status == .created)
    }

    /// Sends a Campaign by the API, and takes it as if Apple had.
    private func send(_ server: TestServer, _ app: AppSecrets, _ audience: String) async throws -> OccurrenceID {
        server.clock.advance(byMilliseconds: 1_000)
        let content =
            #"{"default":{"title":"Late","link":"https://example.com/q?c=1"},"ja":{"body":"遅延","link":"app://ja?c=1"}}"#
        let body =
            "{\"audience\":\(audience),\"message\":{\"content\":\(content),\"isSurvey\":true}}"
        let campaign = try await server.send(
            .post,
            "/v1/campaigns?app=\(app.app.id)",
            body,
            key: server.serverKey
        ).decoded(Campaign.self)
        let occurrence = try #require(campaign.occurrence)
        let (store, now) = (server.stores.deliveries, server.clock.now())
        let wave = try #require(
            try await store.overview(at: now, from: WorkCursor()).waves.first { $0.occurrence == occurrence }
        )
        let facts = try #require(try await store.facts(of: occurrence, app: app.app.id))
        let reading = try await store.read(wave, of: facts, limit: 10)
        var commit = ChunkCommit(
            lease: try #require(try await store.lease(reading, of: wave, readAt: now, at: now, for: .random())),
            at: now
        )
        commit.rows = reading.recipients.numbers.map { .init(device: $0, pushType: .apns, outcome: .accepted) }
        commit.ending = .isOver
        _ = try await store.commit(commit)
        return occurrence
    }

    @Test("An inbox lists messages, and its unread count decreases as they are read")
    func showsAndReads() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let headers = server.device(app)
            try await register(server, app)
            let all = try await send(server, app, #"{"all":true}"#)
            let one = try await send(server, app, "{\"devices\":[\"\(Self.device)\"]}")

            let inbox = try await server.send(.get, Self.path, headers: headers).decoded(Inbox.self)
            #expect(inbox.messages.map(\.occurrence) == [one, all])
            #expect(inbox.unread == 2)
            #expect(
                inbox.messages.allSatisfy {
                    $0.isSurvey && $0.body == "遅延" && $0.title == "Late" && $0.link == "app://ja?c=1"
                }
            )

            let some = try await server.send(
                .post,
                Self.path + "/read",
                "{\"occurrences\":[\"\(all)\"]}",
                headers: headers
            )
            #expect(String(buffer: some.body) == #"{"unread":1}"#)
            let rest = try await server.send(.post, Self.path + "/read", #"{"all":true}"#, headers: headers)
            #expect(String(buffer: rest.body) == #"{"unread":0}"#)
            #expect(try await server.send(.get, Self.path, headers: headers).decoded(Inbox.self).unread == 0)
        }
    }

    @Test("An inbox is readable by its Device only")
    func refuses() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let other = try await server.makeApp()
            try await register(server, app)
            let wrong = server.device(app, secret: String(repeating: "w", count: 43))
            let key = ["Carillon-App-Key": app.appKey]

            for (method, path, body) in [
                (HTTPRequest.Method.get, Self.path, nil), (.post, Self.path + "/read", #"{"all":true}"#),
            ] {
                #expect(try await server.send(method, path, body, headers: wrong).problem == "wrong-device-secret")
                #expect(try await server.send(method, path, body, headers: key).problem == "missing-credentials")
                #expect(
                    try await server.send(method, path, body, key: server.serverKey).problem == "missing-credentials"
                )
                #expect(
                    try await server.send(method, path, body, headers: server.device(other)).problem == "unknown-device"
                )
                let nobody = path.replacing(Self.device, with: "no")
                #expect(
                    try await server.send(method, nobody, body, headers: server.device(app)).problem == "unknown-device"
                )
            }
        }
    }

    @Test(
        "Some or all messages are marked as read",
        arguments: [
            "{}", #"{"all":false}"#, #"{"occurrences":[]}"#, #"{"occurrences":["cmp_1"]}"#, #"{"all":true,"x":1}"#,
        ]
    )
    func refusesReadings(_ body: String) async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            try await register(server, app)

            let answer = try await server.send(.post, Self.path + "/read", body, headers: server.device(app))

            #expect(answer.problem == "invalid-field")
        }
    }

    @Test("A call is accepted, returned with its channel, and refused as an ad")
    func calls() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .send, .read)
            let call = "{\"audience\":{\"all\":true},\"draft\":true,\"channel\":\"voip\",\(CampaignTests.message)"

            let made = try await server.send(.post, "/v1/campaigns", call + "}", key: key).decoded(Campaign.self)
            #expect(made.channel == .voip)
            #expect(
                try await server.send(.get, "/v1/campaigns/\(made.id)", key: key).decoded(Campaign.self).channel
                    == .voip
            )
            #expect(try await server.send(.post, "/v1/campaigns", call + ",\"isAd\":true}", key: key).field == "isAd")
            let fax = call.replacing("voip", with: "fax") + "}"
            #expect(try await server.send(.post, "/v1/campaigns", fax, key: key).field == "channel")
        }
    }
}
