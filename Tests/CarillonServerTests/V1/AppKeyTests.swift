import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Replacing an App's secrets over HTTP.
struct AppKeyTests {
    @Test("S1-operators-6 The App key and the identity secret rotate independently, and the former one stays valid")
    func overlap() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/apps/\(app.app.id)"

            let answer = try await server.send(
                .post,
                path + "/rotate-keys",
                #"{"keys":["appKey"]}"#,
                key: server.serverKey
            )

            #expect(answer.status == .ok)
            let new = try answer.decoded(RotatedAppKeys.self)
            let appKey = try #require(new.appKey)
            #expect(new.identitySecret == nil)
            #expect(appKey != app.appKey)
            let end = server.clock.now().advanced(by: .seconds(720 * 3_600))
            #expect(new.app.formerKeys == [FormerAppKey(kind: .appKey, endsAt: end)])
            for key in [app.appKey, appKey] {
                let registration = try await server.send(
                    .put,
                    "/v1/devices/\(UUID().uuidString.lowercased())",
                    #"{"consent":{"notifications":true}}"#,
                    headers: ["Carillon-App-Key": key, "Carillon-Device-Secret": TestServer.deviceSecret]
                )
                #expect(registration.status == .created, "\(String(buffer: registration.body))")
            }
            let shown = try await server.send(.get, path, key: server.serverKey)
            #expect(try shown.decoded(App.self) == new.app)
            #expect(!String(buffer: shown.body).contains(appKey))
            let list = try await server.send(.get, "/v1/apps", key: server.serverKey)
            #expect(try list.decoded(Page<App>.self).items == [new.app])

            let ended = try await server.send(.delete, path + "/former-keys/appKey", key: server.serverKey)

            #expect(try ended.decoded(App.self).formerKeys == nil)
            #expect(try await server.engine.access.app(appKey: app.appKey) == nil)
            #expect(try await server.engine.access.app(appKey: appKey) == app.app.id)
        }
    }

    @Test("S1-operators-6 With an overlap of 0 the former key and earlier ones are revoked at once")
    func atOnce() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let first = try await server.engine.apps.rotateKeys(app.app.id, AppKeyRotation([.appKey]))
            let path = "/v1/apps/\(app.app.id)/rotate-keys"

            let answer = try await server.send(
                .post,
                path,
                #"{"keys":["appKey"],"overlapHours":0}"#,
                key: server.serverKey
            )

            let new = try answer.decoded(RotatedAppKeys.self)
            #expect(new.app.formerKeys == nil)
            for key in [app.appKey, try #require(first.appKey)] {
                #expect(try await server.engine.access.app(appKey: key) == nil)
            }
        }
    }

    @Test(
        "S1-operators-6 The keys to rotate are required",
        arguments: [
            ("{}", "keys"), (#"{"keys":[]}"#, "keys"), (#"{"keys":["appKey","appKey"]}"#, "keys"),
            (#"{"keys":["pushKey"]}"#, "keys"), (#"{"keys":["appKey"],"overlapHours":-1}"#, "overlapHours"),
            (#"{"keys":["appKey"],"overlapHours":8785}"#, "overlapHours"),
            (#"{"keys":["appKey"],"hours":1}"#, "hours"),
        ]
    )
    func requests(_ body: String, field: String) async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/apps/\(app.app.id)/rotate-keys"

            let answer = try await server.send(.post, path, body, key: server.serverKey)

            #expect(answer.status.code == 422)
            #expect(answer.field?.hasPrefix(field) == true)
            #expect(try await server.engine.access.app(appKey: app.appKey) == app.app.id)
            let empty = try await server.send(.post, path, key: server.serverKey)
            #expect(empty.status.code == 415 || empty.status.code == 400)
        }
    }

    @Test("S1-operators-6 Only an administrator of the App revokes its keys, and the number of former ones is limited")
    func bounds() async throws {
        try await TestServer.run { server in
            let (app, other) = (try await server.makeApp(), try await server.makeApp())
            let path = "/v1/apps/\(app.app.id)"
            let reader = try await server.makeKey(app.app.id, .read)
            let stranger = try await server.makeKey(other.app.id, .admin)
            let former = path + "/former-keys/appKey"
            #expect(try await server.send(.delete, former, key: reader).problem == "missing-scope")
            #expect(try await server.send(.delete, former, key: stranger).problem == "unknown-app")
            #expect(try await server.send(.delete, path + "/former-keys/x", key: server.serverKey).status == .notFound)
            let body = #"{"keys":["appKey","identitySecret","receiptKey"]}"#
            for _ in 0..<3 {
                #expect(try await server.send(.post, path + "/rotate-keys", body, key: server.serverKey).status == .ok)
            }
            let refused = try await server.send(.post, path + "/rotate-keys", body, key: server.serverKey)
            #expect(refused.problem == "conflict")
            let shown: App = try await server.send(.get, path, key: server.serverKey).decoded()
            #expect(shown.formerKeys?.count == 9)
        }
    }
}
