import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

/// `/v1/test-devices`, `/v1/test-pairings` and what a Device does with a code.
struct TestDeviceTests {
    private static let device = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    private static let other = "3f2504e0-4f89-41d3-9a0c-0305e82c3302"
    private static let message = #""message":{"content":{"default":{"title":"Hello","body":"World"}}}"#

    private func register(_ server: TestServer, _ app: AppSecrets, _ device: String) async throws {
        let answer = try await server.send(
            .put,
            "/v1/devices/\(device)",
            #"{"consent":{"notifications":true}}"#,
            headers: server.device(app)
        )
        #expect(answer.status == .created)
    }

    @Test("K-38 A test goes to registered test Devices of the App alone, and to at most 20 of them")
    func sendsToTestDevicesAlone() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .admin)
            try await register(server, app, Self.device)
            let path = "/v1/test-device-send"
            let body = "{\"devices\":[\"\(Self.device)\"],\(Self.message)}"

            let refused = try await server.send(.post, path, body, key: key)
            #expect(refused.problem == "invalid-field" && refused.field == "devices.0")

            let add = "{\"device\":\"\(Self.device)\",\"name\":\"Phone\"}"
            #expect(try await server.send(.post, "/v1/test-devices", add, key: key).status == .ok)
            let sent = try await server.send(.post, path, body, key: key)
            #expect(sent.status == .created)
            let campaign = try sent.decoded(Campaign.self)
            #expect(!campaign.isAd && campaign.isTransactional)
            #expect(try await server.send(.get, "/v1/campaigns", key: key).decoded(Page<Campaign>.self).items.isEmpty)

            let many = (0..<21).map { "\"3f2504e0-4f89-41d3-9a0c-0305e82c34\($0 < 10 ? "0" : "")\($0)\"" }
            let tooMany = "{\"devices\":[\(many.joined(separator: ","))],\(Self.message)}"
            #expect(try await server.send(.post, path, tooMany, key: key).field == "devices")

            let removed = try await server.send(.delete, "/v1/test-devices/\(Self.device)", key: key)
            #expect(removed.status == .noContent)
            #expect(try await server.send(.post, path, body, key: key).field == "devices.0")
        }
    }

    @Test("Test Devices get at most 60 messages within an hour")
    func limitsAnHour() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .admin)
            try await register(server, app, Self.device)
            let add = "{\"device\":\"\(Self.device)\",\"name\":\"Phone\"}"
            #expect(try await server.send(.post, "/v1/test-devices", add, key: key).status == .ok)
            let body = "{\"devices\":[\"\(Self.device)\"],\(Self.message)}"
            for _ in 0..<60 {
                #expect(try await server.send(.post, "/v1/test-device-send", body, key: key).status == .created)
            }
            #expect(try await server.send(.post, "/v1/test-device-send", body, key: key).status == .conflict)
        }
    }

    @Test("A Device becomes a test Device by the code that an operator got, whatever is between its digits")
    func pairs() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .admin)
            try await register(server, app, Self.device)
            let path = "/v1/devices/\(Self.device)/test-pairing"
            func claim(_ code: String) async throws -> TestResponse {
                try await server.send(.post, path, "{\"code\":\"\(code)\"}", headers: server.device(app))
            }
            let made = try await server.send(.post, "/v1/test-pairings", #"{"name":"Phone"}"#, key: key)
            #expect(made.status == .created)
            let code = try made.decoded(TestPairing.self).code
            #expect(code.count == 8)
            #expect(try await claim("x").problem == "unknown-test-pairing")
            #expect(try await claim(code.prefix(4) + " - " + code.suffix(4)).status == .noContent)
            #expect(try await claim(code).problem == "unknown-test-pairing")

            let listed = try await server.send(.get, "/v1/test-devices", key: key).decoded(Page<TestDevice>.self)
            #expect(listed.items.map(\.name) == ["Phone"])
        }
    }

    @Test("Phones in Korean show a test with the wording of the ad, others without")
    func addsWording() throws {
        let wording = AdWording(contact: "02-1234", removeGuide: "Off", position: nil)
        let contents = ["default": LocalizedContent(title: "Sale", body: "Today"), "ja": LocalizedContent(body: "今日")]
        let applied = wording.applied(to: contents, standard: .title)
        #expect(applied["default"]?.title == "Sale" && applied["ja"]?.body == "今日")
        #expect(applied["ko"]?.title == "(광고) Sale 02-1234")
        #expect(applied["ko"]?.body == "Today\nOff")
        let own = ["default": LocalizedContent(body: "a"), "ko-KR": LocalizedContent(body: "b")]
        let regional = wording.applied(to: own, standard: .body)
        #expect(regional["ko-KR"]?.body == "(광고) 02-1234\nb\nOff" && regional["ko"] == nil)
    }
}
