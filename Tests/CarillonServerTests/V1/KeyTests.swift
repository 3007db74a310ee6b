import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct KeyTests {
    @Test("A key is created, listed without its secret, and revoked")
    func lives() async throws {
        try await TestServer.run { server in
            let made = try await server.send(
                .post,
                "/v1/keys",
                #"{"name":"n","scopes":["read"]}"#,
                key: server.serverKey
            )
            let secret = try made.decoded(APIKeySecret.self)
            #expect(made.status == .created)
            #expect(try await server.send(.get, "/v1/apps", key: secret.secret).status == .ok)

            let list = try await server.send(.get, "/v1/keys", key: server.serverKey)
            #expect(try list.decoded(Page<APIKey>.self).items.contains { $0.id == secret.key.id })
            #expect(!String(buffer: list.body).contains(secret.secret))

            #expect(
                try await server.send(.delete, "/v1/keys/\(secret.key.id)", key: server.serverKey).status == .noContent
            )
            #expect(try await server.send(.get, "/v1/apps", key: secret.secret).problem == "wrong-credentials")
            #expect(
                try await server.send(.delete, "/v1/keys/\(secret.key.id)", key: server.serverKey).problem
                    == "unknown-key"
            )
        }
    }

    @Test("A key of one App creates and revokes only keys of that App")
    func staysWithinApp() async throws {
        try await TestServer.run { server in
            let own = try await server.makeApp().app.id
            let other = try await server.makeApp().app.id
            let key = try await server.makeKey(own, .admin)

            let made = try await server.send(.post, "/v1/keys", #"{"name":"n","scopes":["admin"]}"#, key: key)
            let foreign = try await server.send(
                .post,
                "/v1/keys?app=\(other)",
                #"{"name":"n","scopes":["send"]}"#,
                key: key
            )
            let serverKeys = try await server.send(.get, "/v1/keys", key: server.serverKey).decoded(Page<APIKey>.self)
            let first = try #require(serverKeys.items.first { $0.app == nil })

            #expect(try made.decoded(APIKeySecret.self).key.app == own)
            #expect(foreign.problem == "unknown-app")
            #expect(try await server.send(.delete, "/v1/keys/\(first.id)", key: key).problem == "unknown-key")
            #expect(
                try await server.send(.get, "/v1/keys", key: key).decoded(Page<APIKey>.self).items.allSatisfy {
                    $0.app == own
                }
            )
        }
    }

    @Test("A key is valid until exactly its expiry")
    func expires() async throws {
        try await TestServer.run { server in
            var request = APIKeyRequest(name: "n", scopes: [.read])
            request.expiresAt = Timestamp(rawValue: server.clock.now().rawValue + 1_000)
            let key = try await server.engine.access.createKey(request).secret

            #expect(try await server.send(.get, "/v1/apps", key: key).status == .ok)
            server.clock.advance(byMilliseconds: 1_000)
            #expect(try await server.send(.get, "/v1/apps", key: key).problem == "wrong-credentials")
        }
    }

    @Test("S1-h3 A key that expires cannot create one that expires later")
    func makesNoneThatLivesLonger() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let expiry = Timestamp(rawValue: server.clock.now().rawValue + 3_600_000)
            var request = APIKeyRequest(name: "n", scopes: [.admin])
            request.expiresAt = expiry
            let key = try await server.engine.access.createKey(app: app, request).secret
            func status(_ expiresAt: Timestamp?) async throws -> (Int, String) {
                let field = expiresAt.map { ",\"expiresAt\":\"\($0)\"" } ?? ""
                let body = "{\"name\":\"n\",\"scopes\":[\"read\"]\(field)}"
                let answer = try await server.send(.post, "/v1/keys", body, key: key)
                return (answer.status.code, String(buffer: answer.body))
            }

            for refused in [nil, Timestamp(rawValue: expiry.rawValue + 1)] {
                let (code, body) = try await status(refused)
                #expect(code == 422 && body.contains("expiresAt") && body.contains("\(expiry)"))
            }
            #expect(try await status(expiry).0 == 201)
        }
    }

    @Test("O2-1 Deleting the last admin key of the server is a conflict with advice")
    func keepsTheLastAdministrator() async throws {
        try await TestServer.run { server in
            let keys = try await server.send(.get, "/v1/keys", key: server.serverKey).decoded(Page<APIKey>.self)
            let first = try #require(keys.items.first)

            let answer = try await server.send(.delete, "/v1/keys/\(first.id)", key: server.serverKey)

            #expect(answer.status == .conflict && String(buffer: answer.body).contains("last one"))
            #expect(try await server.send(.get, "/v1/keys", key: server.serverKey).status == .ok)
        }
    }

    @Test(
        "Each path requires its scope",
        arguments: [
            ("POST", "/v1/apps", APIKeyScope.admin), ("GET", "/v1/apps", .read),
            ("GET", "/v1/apps/app_000000000000", .read),
            ("POST", "/v1/apps/app_000000000000/rotate-keys", .admin),
            ("PUT", "/v1/apps/app_000000000000/push-key", .admin),
            ("POST", "/v1/apps/app_000000000000/pause-sending", .send), ("GET", "/v1/nodes", .read),
            ("POST", "/v1/nodes/nod_000000000000/quiet", .admin),
            ("POST", "/v1/apps/app_000000000000/resume-sending", .send),
            ("POST", "/v1/keys", .admin), ("GET", "/v1/keys", .admin), ("DELETE", "/v1/keys/key_000000000000", .admin),
            ("POST", "/v1/campaigns", .send), ("POST", "/v1/test-send", .send),
            ("POST", "/v1/test-device-send", .send), ("GET", "/v1/test-devices", .read),
            ("GET", "/v1/campaigns", .read),
            ("GET", "/v1/campaigns/cmp_000000000000", .read), ("POST", "/v1/campaigns/cmp_000000000000/send", .send),
            ("POST", "/v1/campaigns/cmp_000000000000/cancel", .send),
            ("GET", "/v1/campaigns/cmp_000000000000/funnel", .read),
            ("GET", "/v1/campaigns/cmp_000000000000/failures", .read),
            ("GET", "/v1/campaigns/cmp_000000000000/deliveries", .read),
            ("POST", "/v1/campaigns/cmp_000000000000/progress-ticket", .read),
            ("DELETE", "/v1/devices/00000000-0000-0000-0000-000000000000", .admin),
            ("GET", "/v1/devices/00000000-0000-0000-0000-000000000000", .read),
            ("GET", "/v1/user-messages?app=app_000000000000", .messages),
            ("GET", "/v1/users/u/export?app=app_000000000000", .admin),
        ]
    )
    func asksForScope(_ method: String, _ path: String, _ scope: APIKeyScope) async throws {
        try await TestServer.run { server in
            let method = try #require(HTTPRequest.Method(method))
            let others = APIKeyScope.allCases.filter { $0 != scope && $0 != .admin }
            for other in others {
                let key = try await server.makeKey(nil, other)
                #expect(try await server.send(method, path, "{}", key: key).problem == "missing-scope")
            }
            let none = try await server.send(method, path, "{}")
            let unknown = try await server.send(method, path, "{}", key: "ck_unknown")
            #expect(none.problem == "missing-credentials" && none.headers[.wwwAuthenticate] != nil)
            #expect(unknown.problem == "wrong-credentials" && unknown.headers[.wwwAuthenticate] != nil)
            let right = try await server.makeKey(nil, scope)
            #expect(try await server.send(method, path, "{}", key: right).status.code != 403)
        }
    }
}
