import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

/// The errors of a request's fields, all at once.
struct FieldErrorTests {
    @Test("S1-operators-11 All fields with errors are reported at once, those that follow from others are not")
    func reportsAll() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let campaign = """
                {"name":"","audience":{"users":[]},"isAd":"no","sendAt":"tomorrow","unknown":1,"holdout":91,
                "message":{"content":{"default":{"title":"\(String(repeating: "x", count: 257))","link":"javascript:1"}},
                "badge":-1,"data":{"id":17}}}
                """
            let found = try await Self.fields(server, "/v1/campaigns", campaign, key)
            let expected = [
                "unknown", "name", "audience.users", "message.content.default.title", "message.content.default.link",
                "message.badge", "isAd", "sendAt", "holdout",
            ]
            #expect(found == expected)
            #expect(try await Self.fields(server, "/v1/campaigns", "{}", key) == ["audience", "message"])
            #expect(
                try await Self.fields(server, "/v1/keys", #"{"name":1,"scopes":["root"],"expiresAt":5}"#, key)
                    == ["name", "scopes.0", "expiresAt"]
            )
            #expect(try await Self.fields(server, "/v1/apps", #"{"name":"x"}"#, server.serverKey) == ["bundleID"])
        }
    }

    @Test("S1-operators-11 A Device's registration is reported with all its errors")
    func reportsRegistrations() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            let answer = try await server.send(
                .put,
                path,
                #"{"token":123,"consent":"yes","pushType":"fcm"}"#,
                headers: server.device(app)
            )
            let problem = try answer.decoded(Problem.self)
            #expect(Set((problem.errors ?? []).map(\.field)) == ["token", "consent", "pushType"])
            let words = problem.errors?.first { $0.field == "pushType" }?.problem ?? ""
            #expect(words == "must be apns or apns_sandbox")
        }
    }

    @Test("S1-operators-25 A word that is not allowed is answered with those that are")
    func namesWords() async throws {
        try await TestServer.run { server in
            let key = server.serverKey
            let answer = try await server.send(.post, "/v1/keys", #"{"name":"n","scopes":["root"]}"#, key: key)
            #expect(
                try answer.decoded(Problem.self).errors == [
                    FieldError(field: "scopes.0", problem: "must be one of read, send, messages, admin")
                ]
            )
            let campaign = """
                {"audience":{"all":true},"message":{"content":{"default":{"body":"x"}},"priority":"urgent"},
                "channel":"mail","nightPolicy":"wait"}
                """
            let app = try await server.makeApp().app.id
            let refused = try await server.send(.post, "/v1/campaigns?app=\(app)", campaign, key: key)
            #expect(
                try refused.decoded(Problem.self).errors?.map(\.problem) == [
                    "must be one of high, normal, low", "must be one of notification, voip",
                    "must be one of skip, defer",
                ]
            )
        }
    }

    @Test("A large body is answered with its first error, so that nobody makes the server decode it again and again")
    func boundsWork() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .send)
            let users = (0..<9_000).map { "\"\(String(repeating: "u", count: 24))\($0)\"" }.joined(separator: ",")
            let body = "{\"audience\":{\"users\":[\(users)]},\"isAd\":1,\"draft\":1}"
            #expect(try await Self.fields(server, "/v1/campaigns", body, key).count == 1)
        }
    }

    @Test("A name with many dots costs no more than any other")
    func boundsNames() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let name = String(repeating: "a.", count: 30_000)
            let answer = try await server.send(
                .put,
                "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
                "{\"\(name)\":1,\"consent\":1}",
                headers: server.device(app)
            )
            let errors = try answer.decoded(Problem.self).errors ?? []
            #expect(answer.status == .unprocessableContent)
            #expect(errors.first?.problem == "is not a known field" && errors.allSatisfy { $0.field.count <= 64 })
        }
    }

    @Test("A wrong field is not answered with the one that it stands for")
    func knowsAlternatives() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .send)
            let recipients =
                #"{"recipients":[{"user":"u"},{"user":"u"}],"message":{"content":{"default":{"body":"x"}}}}"#
            #expect(try await Self.fields(server, "/v1/campaigns", recipients, key).allSatisfy { $0 != "audience" })
            #expect(
                try await Self.fields(server, "/v1/campaigns", #"{"audience":{"all":true},"template":"x"}"#, key)
                    == ["template"]
            )
        }
    }

    @Test("S1-operators-4 Creating a Campaign reports all that a dry run does")
    func reportsWhatDryRunsDo() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .send)
            let body = """
                {"audience":{"rule":"tag:\\"none\\""},"statisticsID":"sta_000000000001","sendAt":"2001-01-01T00:00:00Z",
                "message":{"content":{"default":{"body":"x"}}}}
                """
            let dry = try await server.send(.post, "/v1/dry-run", body, key: key).decoded(DryRun.self)
            let created = try await server.send(.post, "/v1/campaigns", body, key: key).decoded(Problem.self)
            #expect(Set(dry.problems.map(\.field)).isSuperset(of: ["audience.rule", "statisticsID", "sendAt"]))
            #expect(created.errors == dry.problems && dry.estimate == nil && dry.endsAt == nil)
        }
    }

    private static func fields(
        _ server: TestServer,
        _ path: String,
        _ body: String,
        _ key: String
    ) async throws -> [String] {
        let answer = try await server.send(.post, path, body, key: key)
        #expect(answer.status == .unprocessableContent)
        return (try answer.decoded(Problem.self).errors ?? []).map(\.field)
    }
}
