import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct AppTests {
    @Test("An App is created with a key of the server, and its secrets are returned")
    func creates() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(
                .post,
                "/v1/apps",
                #"{"name":"Bus","bundleID":"org.example.bus"}"#,
                key: server.serverKey
            )

            let secrets = try answer.decoded(AppSecrets.self)
            #expect(answer.status == .created)
            #expect(answer.headers[.location] == "/v1/apps/\(secrets.app.id)")
            #expect(secrets.app.identity == .signed)
            #expect(secrets.appKey.hasPrefix("ak_") && secrets.identitySecret.hasPrefix("is_"))
            #expect(try await server.engine.access.app(appKey: secrets.appKey) == secrets.app.id)
        }
    }

    @Test("A page of Apps ends at its limit, and the next begins there")
    func pages() async throws {
        try await TestServer.run { server in
            for _ in 0..<3 { _ = try await server.makeApp() }

            let first = try await server.send(.get, "/v1/apps?limit=2", key: server.serverKey).decoded(Page<App>.self)
            let cursor = try #require(first.nextCursor)
            let second = try await server.send(.get, "/v1/apps?limit=2&cursor=\(cursor)", key: server.serverKey)
                .decoded(Page<App>.self)

            #expect(first.items.count == 2)
            #expect(second.items.count == 1)
            #expect(second.nextCursor == nil)
            #expect(Set((first.items + second.items).map(\.id)).count == 3)
        }
    }

    @Test("A key of one App gets only that App")
    func hidesOthers() async throws {
        try await TestServer.run { server in
            let own = try await server.makeApp()
            let other = try await server.makeApp()
            let key = try await server.makeKey(own.app.id, .admin)

            let list = try await server.send(.get, "/v1/apps", key: key).decoded(Page<App>.self)

            #expect(list == Page(items: [own.app], nextCursor: nil))
            #expect(try await server.send(.get, "/v1/apps/\(own.app.id)", key: key).decoded(App.self) == own.app)
            #expect(try await server.send(.get, "/v1/apps/\(other.app.id)", key: key).problem == "unknown-app")
            #expect(
                try await server.send(.post, "/v1/apps/\(other.app.id)/rotate-keys", key: key).problem == "unknown-app"
            )
            #expect(
                try await server.send(.post, "/v1/apps", #"{"name":"B","bundleID":"b"}"#, key: key).problem
                    == "server-key-required"
            )
        }
    }

    @Test("K-67 Sending of an App is paused and resumed with a key of scope send, and the audit log has both")
    func pausesSending() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app
            let (path, key) = ("/v1/apps/\(app.id)", try await server.makeKey(app.id, .send, .read))

            let paused = try await server.send(.post, path + "/pause-sending", key: key).decoded(App.self)

            #expect(paused.sendingPausedAt == server.clock.now())
            #expect(paused.sendingPausedBy?.hasPrefix("key_") == true)
            #expect(try await server.send(.get, path, key: key).decoded(App.self) == paused)
            #expect(try await server.send(.post, path + "/resume-sending", key: key).decoded(App.self) == app)
            let other = try await server.makeApp().app
            let foreign = "/v1/apps/\(other.id)/pause-sending"
            #expect(try await server.send(.post, foreign, key: key).problem == "unknown-app")
            let changes = try await server.engine.audit.entries(AuditQuery(), limit: 10).items.map(\.change)
            #expect(changes.contains("sending → paused") && changes.contains("paused → sending"))
        }
    }

    @Test("An App's dialect and name are changed with an API key of scope admin")
    func changes() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/apps/\(app.app.id)"
            let reader = try await server.makeKey(app.app.id, .read)

            let answer = try await server.send(.patch, path, #"{"dialect":"toast"}"#, key: server.serverKey)

            var expected = app.app
            expected.dialect = .toast
            #expect(try answer.decoded(App.self) == expected)
            #expect(try await server.send(.get, path, key: server.serverKey).decoded(App.self) == expected)
            #expect(try await server.send(.patch, path, "{}", key: reader).problem == "missing-scope")
            let wrong = try await server.send(.patch, path, #"{"dialect":"fcm"}"#, key: server.serverKey)
            #expect(wrong.problem == "invalid-field" && wrong.field == "dialect")
            let bundle = try await server.send(.patch, path, #"{"bundleID":"x"}"#, key: server.serverKey)
            #expect(bundle.field == "bundleID")
        }
    }

    @Test("T-61 an App's rule for ads may be the Korean one, and records show whom it does not cover")
    func adRule() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let devices = ["en", "ko-KR"].map { language in
                let id = DeviceID(rawValue: UUID())
                return (
                    path: "/v1/devices/\(id)", body: #"{"consent":{"notifications":true},"language":"\#(language)"}"#
                )
            }
            func records() async throws -> [Bool?] {
                var told: [Bool?] = []
                for device in devices {
                    let put = try await server.send(.put, device.path, device.body, headers: server.device(app))
                    let get = try await server.send(.get, device.path, headers: server.device(app))
                    #expect(try put.decoded(DeviceRecord.self) == get.decoded(DeviceRecord.self))
                    told.append(try get.decoded(DeviceRecord.self).adRuleApplies)
                }
                return told
            }
            #expect(app.app.adRule == .everyone)
            #expect(try await records() == [nil, nil])

            let path = "/v1/apps/\(app.app.id)"
            let changed = try await server.send(.patch, path, #"{"adRule":"korean"}"#, key: server.serverKey)

            #expect(try changed.decoded(App.self).adRule == .korean)
            #expect(try await records() == [false, nil])
        }
    }

    @Test("C-62 An App's push key is described without the key, and has no expiry")
    func showsPushKey() async throws {
        try await TestServer.run { server in
            let app = try await server.engine.apps.create(AppRequest(name: "Bus", bundleID: "org.example.bus"))
            let path = "/v1/apps/\(app.app.id)/push-key"
            let reader = try await server.makeKey(app.app.id, .read)
            #expect(try await server.send(.get, path, key: reader).problem == "unknown-push-key")
            let signer = P256.Signing.PrivateKey()
            let pem = signer.pemRepresentation
            let key = PushKeyRequest(keyID: "ABC1234567", teamID: "TEAM123456", privateKey: pem)
            _ = try await server.engine.apps.setPushKey(app.app.id, key)

            let answer = try await server.send(.get, path, key: reader)

            var shown = PushKey(
                keyID: "ABC1234567",
                teamID: "TEAM123456",
                topic: app.app.bundleID,
                updatedAt: server.clock.now()
            )
            shown.fingerprint = SHA256.hash(data: signer.publicKey.rawRepresentation)
                .map { String($0, radix: 16).count == 1 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
            #expect(try answer.decoded(PushKey.self) == shown)
            let fields = try #require(
                JSONSerialization.jsonObject(with: Data(String(buffer: answer.body).utf8)) as? [String: Any]
            )
            #expect(fields["expires"] as? Bool == false && fields["keyID"] as? String == "ABC1234567")
            #expect(fields.keys.allSatisfy { !$0.lowercased().contains("expiresat") })
            #expect(!String(buffer: answer.body).contains("PRIVATE"))
            let other = try await server.makeKey(try await server.makeApp().app.id, .read)
            #expect(try await server.send(.get, path, key: other).problem == "unknown-app")
            #expect(try await server.send(.get, path, key: server.makeKey(app.app.id, .send)).status == .forbidden)
        }
    }

    @Test("A P-256 push key is accepted, and not returned")
    func takesPushKey() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/apps/\(app.app.id)/push-key"
            let pem = P256.Signing.PrivateKey().pemRepresentation
            let body = String(
                decoding: try JSONEncoder().encode(
                    PushKeyRequest(keyID: "ABC1234567", teamID: "TEAM123456", privateKey: pem)
                ),
                as: UTF8.self
            )

            let answer = try await server.send(.put, path, body, key: server.serverKey)
            let wrong = try await server.send(
                .put,
                path,
                #"{"keyID":"ABC1234567","teamID":"TEAM123456","privateKey":"no key"}"#,
                key: server.serverKey
            )

            #expect(try answer.decoded(App.self).hasPushKey)
            #expect(!String(buffer: answer.body).contains("PRIVATE"))
            #expect(wrong.problem == "invalid-field" && wrong.field == "privateKey")
        }
    }
}
