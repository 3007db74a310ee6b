import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct IdempotencyTests {
    private static let app = #"{"name":"Bus","bundleID":"org.example.bus"}"#

    @Test("The same key and body get the first response without secrets, and nothing is created again")
    func replays() async throws {
        try await TestServer.run { server in
            let header = ["Idempotency-Key": "k 1"]
            let first = try await server.send(.post, "/v1/apps", Self.app, key: server.serverKey, headers: header)
            let second = try await server.send(.post, "/v1/apps", Self.app, key: server.serverKey, headers: header)

            var expected = try first.decoded(AppSecrets.self)
            expected.identitySecret = ""
            #expect(second.status == first.status)
            #expect(second.headers[.location] == first.headers[.location])
            #expect(second.headers[.contentType] == "application/json")
            #expect(second.headers[try #require(HTTPField.Name("Idempotency-Replayed"))] == "true")
            #expect(try second.decoded(AppSecrets.self) == expected)
            #expect(
                try await server.send(.get, "/v1/apps", key: server.serverKey).decoded(Page<App>.self).items.count == 1
            )
        }
    }

    @Test("A replay of an API key does not show its secret")
    func hidesKeySecret() async throws {
        try await TestServer.run { server in
            let body = #"{"name":"n","scopes":["read"]}"#
            let header = ["Idempotency-Key": "k"]
            _ = try await server.send(.post, "/v1/keys", body, key: server.serverKey, headers: header)

            let second = try await server.send(.post, "/v1/keys", body, key: server.serverKey, headers: header)

            #expect(try second.decoded(APIKeySecret.self).secret.isEmpty)
        }
    }

    @Test("Another body or path with the same key is refused")
    func refusesOtherBody() async throws {
        try await TestServer.run { server in
            let header = ["Idempotency-Key": "k"]
            _ = try await server.send(.post, "/v1/apps", Self.app, key: server.serverKey, headers: header)

            let other = try await server.send(
                .post,
                "/v1/apps",
                #"{"name":"Tram","bundleID":"org.example.tram"}"#,
                key: server.serverKey,
                headers: header
            )
            let path = try await server.send(
                .post,
                "/v1/keys",
                #"{"name":"n","scopes":["read"]}"#,
                key: server.serverKey,
                headers: header
            )

            #expect(other.problem == "idempotency-key-reused" && other.status == .unprocessableContent)
            #expect(path.problem == "idempotency-key-reused")
        }
    }

    @Test("Keys of different callers are independent, and a key expires after 24 hours")
    func forgets() async throws {
        try await TestServer.run { server in
            let header = ["Idempotency-Key": "k"]
            let another = try await server.makeKey(nil, .admin)
            func count() async throws -> Int { try await server.engine.apps.list(after: nil, limit: 100).items.count }

            for key in [server.serverKey, another] {
                _ = try await server.send(.post, "/v1/apps", Self.app, key: key, headers: header)
            }
            #expect(try await count() == 2)
            server.clock.advance(byMilliseconds: Idempotency.memory - 1)
            _ = try await server.send(.post, "/v1/apps", Self.app, key: server.serverKey, headers: header)
            #expect(try await count() == 2)
            server.clock.advance(byMilliseconds: 2)
            _ = try await server.send(.post, "/v1/apps", Self.app, key: server.serverKey, headers: header)
            #expect(try await count() == 3)
        }
    }

    @Test("A failed request releases its key")
    func givesBack() async throws {
        try await TestServer.run { server in
            let header = ["Idempotency-Key": "k"]
            let wrong = #"{"name":"n","scopes":["read"],"expiresAt":"2001-01-01T00:00:00Z"}"#
            let first = try await server.send(.post, "/v1/keys", wrong, key: server.serverKey, headers: header)

            let second = try await server.send(
                .post,
                "/v1/keys",
                #"{"name":"n","scopes":["read"]}"#,
                key: server.serverKey,
                headers: header
            )

            #expect(first.field == "expiresAt")
            #expect(second.status == .created)
        }
    }

    @Test("Of concurrent requests with one key one creates, and all get the same response")
    func answersAllAlike() async throws {
        try await TestServer.run { server in
            let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await server.send(
                            .post,
                            "/v1/apps",
                            Self.app,
                            key: server.serverKey,
                            headers: ["Idempotency-Key": "k"]
                        )
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            let replayed = try #require(HTTPField.Name("Idempotency-Replayed"))
            #expect(answers.allSatisfy { $0.status == .created })
            #expect(answers.count { $0.headers[replayed] == nil } == 1)
            #expect(Set(answers.map { $0.headers[.location] }).count == 1)
            #expect(try await server.engine.apps.list(after: nil, limit: 100).items.count == 1)
        }
    }

    @Test("A repeated request is answered although its object exists already")
    func answersWhatIsTaken() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let (path, body) = ("/v1/audiences?app=\(app.app.id)", #"{"name":"n","rule":"hasUser"}"#)
            let header = ["Idempotency-Key": "k"]

            let first = try await server.send(.post, path, body, key: server.serverKey, headers: header)
            let second = try await server.send(.post, path, body, key: server.serverKey, headers: header)
            let other = try await server.send(.post, path, body, key: server.serverKey)

            #expect(second.status == first.status && second.headers[.location] == first.headers[.location])
            #expect(other.problem == "conflict")
        }
    }

    @Test("A malformed key is reported", arguments: ["", "é", String(repeating: "k", count: 256)])
    func boundsKey(_ key: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.send(
                .post,
                "/v1/apps",
                Self.app,
                key: server.serverKey,
                headers: ["Idempotency-Key": key]
            )

            #expect(answer.problem == "invalid-field" && answer.field == "Idempotency-Key")
        }
    }
}
