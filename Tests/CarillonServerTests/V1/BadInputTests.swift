import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct BadInputTests {
    /// Every path that takes a body, with whether an App key stands in for an API key.
    private static let paths: [(method: String, path: String, byAppKey: Bool)] = [
        ("POST", "/v1/apps", false), ("PUT", "/v1/apps/APP/push-key", false), ("POST", "/v1/keys", false),
        ("POST", "/v1/campaigns", false), ("POST", "/v1/test-send", false),
        ("POST", "/v1/test-device-send", false), ("POST", "/v1/test-devices", false),
        ("POST", "/v1/test-pairings", false),
        ("PUT", "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301", true),
        ("PATCH", "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301", true), ("POST", "/v1/events", true),
        ("PATCH", "/v1/apps/APP", false), ("POST", "/v1/tags?app=APP", false),
        ("PUT", "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301/tags", true),
        ("POST", "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301/tags", true),
        ("PATCH", "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301/attributes", true),
        ("PUT", "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301/voip", true),
        ("POST", "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301/forget", true),
    ]

    private func forEachPath(
        _ body: ByteBuffer,
        contentType: String? = "application/json",
        _ check: @Sendable @escaping (TestResponse, String) -> Void
    ) async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            for (method, path, byAppKey) in Self.paths {
                var fields = HTTPFields()
                fields[.contentType] = contentType
                if byAppKey {
                    for (name, value) in server.device(app) { fields[try #require(HTTPField.Name(name))] = value }
                } else {
                    fields[.authorization] = "Bearer " + server.serverKey
                }
                let answer = try await server.client.executeRequest(
                    uri: path.replacing("APP", with: app.app.id.description),
                    method: try #require(HTTPRequest.Method(method)),
                    headers: fields,
                    body: body
                )
                check(answer, method + " " + path)
            }
        }
    }

    @Test(
        "Malformed JSON answers 400 on every path",
        arguments: ["", "{", "{\"a\":1,\"a\":2}", "nonsense", "{}{}", "\u{FEFF}{}"]
    )
    func refusesBrokenJSON(_ text: String) async throws {
        try await forEachPath(ByteBuffer(string: text)) { answer, path in
            #expect(answer.problem == "malformed-json" && answer.status == .badRequest, "\(path)")
        }
    }

    @Test("Invalid UTF-8 answers 400 on every path")
    func refusesOtherEncodings() async throws {
        try await forEachPath(ByteBuffer(bytes: Array("{\"name\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8))) {
            #expect($0.problem == "malformed-json", "\($1)")
        }
    }

    @Test("Deep nesting answers 400 on every path")
    func refusesDepth() async throws {
        let deep = String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000)
        try await forEachPath(ByteBuffer(string: deep)) { #expect($0.problem == "malformed-json", "\($1)") }
    }

    @Test("A body of 10 MB answers 413 on every path")
    func refusesLargeBodies() async throws {
        try await forEachPath(ByteBuffer(repeating: UInt8(ascii: " "), count: 10_000_000)) {
            #expect($0.problem == "body-too-large" && $0.status == .contentTooLarge, "\($1)")
        }
    }

    @Test("Another media type answers 415 on every path", arguments: [nil, "text/plain", "application/jsonx", ""])
    func refusesOtherTypes(_ type: String?) async throws {
        try await forEachPath(ByteBuffer(string: "{}"), contentType: type) {
            #expect($0.problem == "unsupported-media-type", "\($1)")
        }
    }

    @Test("JSON's media type may have parameters and any case")
    func takesParameters() async throws {
        try await forEachPath(ByteBuffer(string: "{"), contentType: "Application/JSON; charset=utf-8") {
            #expect($0.problem == "malformed-json", "\($1)")
        }
    }

    @Test("A value of another type answers 422 on every path", arguments: ["[]", "1", "null", "\"x\""])
    func refusesOtherShapes(_ text: String) async throws {
        try await forEachPath(ByteBuffer(string: text)) { answer, path in
            #expect(answer.problem == "invalid-field" && answer.status == .unprocessableContent, "\(path)")
        }
    }

    @Test("An unknown field is named on every path except that of events")
    func refusesUnknownFields() async throws {
        try await forEachPath(ByteBuffer(string: "{\"colour\":1}")) { answer, path in
            #expect(answer.field == (path.hasSuffix("events") ? "events" : "colour"), "\(path)")
        }
    }

    @Test(
        "A field out of its range is named",
        arguments: [
            (
                "\"audience\":{\"all\":true},\"message\":{\"content\":{\"default\":{\"title\":\"\"}}}",
                "message.content.default.title"
            ),
            ("\"audience\":{\"all\":false},\(CampaignTests.message)", "audience.all"),
            ("\"audience\":{\"users\":[]},\(CampaignTests.message)", "audience.users"),
            ("\"audience\":{\"users\":[\"\"]},\(CampaignTests.message)", "audience.users.0"),
            ("\"audience\":{\"devices\":[\"x\"]},\(CampaignTests.message)", "audience.devices.0"),
            ("\"audience\":{\"all\":true},\"retryFor\":259201,\(CampaignTests.message)", "retryFor"),
            ("\"audience\":{\"all\":true},\"retryFor\":1.5,\(CampaignTests.message)", "retryFor"),
            ("\"audience\":{\"all\":true},\"sendAt\":\"soon\",\(CampaignTests.message)", "sendAt"),
            ("\"audience\":{\"all\":true},\"sendAt\":\"2031-01-01T00:00:00Z\",\(CampaignTests.message)", "sendAt"),
            (
                "\"audience\":{\"all\":true},\"message\":{\"content\":{\"default\":{\"title\":\"t\"}},\"badge\":-1}",
                "message.badge"
            ),
            (
                "\"audience\":{\"all\":true},\"message\":{\"content\":{\"default\":{\"title\":\"t\"}},\"priority\":\"now\"}",
                "message.priority"
            ),
            ("\"message\":{}", "audience"),
        ]
    )
    func namesField(_ fields: String, _ name: String) async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send)

            let answer = try await server.send(.post, "/v1/campaigns", "{\(fields)}", key: key)

            #expect(answer.problem == "invalid-field")
            #expect(answer.field == name)
        }
    }

    @Test(
        "An invalid query is named",
        arguments: [
            ("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("limit=", "limit"),
            ("limit=+1", "limit"),
            ("cursor=x", "cursor"), ("cursor=", "cursor"), ("app=x", "app"), ("limit=1&limit=2", "limit"),
            ("curser=x", "curser"),
        ]
    )
    func namesQuery(_ query: String, _ name: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/v1/campaigns?" + query, key: server.serverKey)

            #expect(answer.problem == "invalid-field")
            #expect(answer.field == name)
        }
    }

    @Test("A problem repeats neither secrets nor device tokens")
    func repeatsNoValues() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let token = "ffee" + String(repeating: "0", count: 61)
            let body = "{\"token\":\"\(token)\",\"pushType\":\"\(token)\",\"consent\":{\"notifications\":\"\(token)\"}}"

            let answer = try await server.send(
                .put,
                "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
                body,
                headers: server.device(app)
            )

            #expect(answer.problem == "invalid-field")
            #expect(!String(buffer: answer.body).contains("ffee"))
        }
    }
}
