import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

/// `POST /v1/campaign-reach`.
struct CampaignReachTests {
    private func register(_ server: TestServer, _ app: AppSecrets, _ place: Int, _ fields: String) async throws {
        let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c330\(place)"
        let answer = try await server.send(.put, path, "{\(fields)}", headers: server.device(app))
        #expect(answer.status.code < 300)
    }

    private func reach(_ server: TestServer, _ body: String, key: String) async throws -> ReachEstimate {
        try await server.send(.post, "/v1/campaign-reach?exact=true", body, key: key).decoded()
    }

    @Test("K-29 The reach of a Campaign is counted by reason, language and zone, and nothing is stored")
    func counts() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .read)
            let token = #""token":"\#(String(repeating: "ab", count: 31))0"#
            for (place, consent) in ["true,\"ads\":true", "true", "false"].enumerated() {
                let fields = "\"language\":\"ja-JP\",\"timeZone\":\"Asia/Tokyo\""
                try await register(
                    server,
                    app,
                    place,
                    "\(token)\(place)\",\(fields),\"consent\":{\"notifications\":\(consent)}"
                )
            }
            try await register(server, app, 9, #""language":"ko","consent":{"notifications":true}"#)

            let all = try await reach(server, #"{"audience":{"all":true},"draft":true}"#, key: key)
            #expect(all.isExact && all.matched == 4 && all.reach == 2)
            #expect(all.skipped("NoToken") == 1 && all.skipped("NoConsent") == 1)
            #expect(all.languages == ["ja": 2] && all.zones == ["Asia/Tokyo": 2])
            let some = try await reach(server, #"{"audience":{"rule":"language = ko"},"draft":true}"#, key: key)
            #expect(some.matched == 1 && some.reach == 0)
            let listed = try await server.send(.get, "/v1/campaigns", key: key).decoded(Page<Campaign>.self)
            #expect(listed.items.isEmpty)
        }
    }

    @Test("A reach is refused without an audience, for what a draft would be refused, and without scope read")
    func refuses() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let (reader, sender) = (try await server.makeKey(app, .read), try await server.makeKey(app, .send))
            let path = "/v1/campaign-reach"

            let open = try await server.send(.post, path, #"{"draft":true}"#, key: reader)
            #expect(open.field == "audience")
            let silent = try await server.send(.post, path, #"{"audience":{"all":true}}"#, key: reader)
            #expect(silent.field == "message")
            let unknown = #"{"audience":{"saved":"aud_0fk2m9q3tw7x"},"draft":true}"#
            #expect(try await server.send(.post, path, unknown, key: reader).field == "audience.saved")
            let all = #"{"audience":{"all":true},"draft":true}"#
            #expect(try await server.send(.post, path, all, key: sender).problem == "missing-scope")
            #expect(try await server.send(.post, path + "?exact=x", all, key: reader).field == "exact")
            let other = try await server.makeApp().app.id
            #expect(try await server.send(.post, path + "?app=\(other)", all, key: reader).status == .notFound)
        }
    }
}
