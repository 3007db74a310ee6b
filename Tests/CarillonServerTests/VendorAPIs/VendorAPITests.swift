import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Turning vendor APIs on and off over V1.
struct VendorAPITests {
    private func answer(_ server: TestServer, _ key: String) async throws -> ToastReply {
        let path = "/push/v2.4/appkeys/\(key)/tags"
        let answer = try await server.send(.get, path, headers: ["X-Secret-Key": ToastClient.secretKey])
        return ToastReply(body: try answer.decoded(JSONValue.self))
    }

    @Test("A vendor API is off until an App turns it on with the vendor's keys, and off again at once")
    func onAndOff() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let path = "/v1/apps/\(app)/vendor-apis"
            #expect(try await answer(server, ToastClient.appKey).code == 40102)

            let body = #"{"key":"\#(ToastClient.appKey)","secret":"\#(ToastClient.secretKey)"}"#
            let on = try await server.send(.put, path + "/toast", body, key: server.serverKey)

            #expect(on.status == .ok)
            let record = VendorAPIRecord(api: .toast, hasSecret: true, updatedAt: server.clock.now())
            #expect(try on.decoded() == VendorAPISecrets(vendorAPI: record, key: nil, secret: nil))
            let list = try await server.send(.get, path, key: server.serverKey)
            #expect(try list.decoded() == VendorAPIList(vendorAPIs: [record]))
            // The miss of the first look-up is cached for two seconds of this machine: a new key asks the store.
            #expect(try await server.engine.vendorAPIs.list(app: app).vendorAPIs == [record])

            #expect(try await server.send(.delete, path + "/toast", key: server.serverKey).status == .noContent)
            #expect(try await answer(server, ToastClient.appKey).code == 40102)
            let again = try await server.send(.delete, path + "/toast", key: server.serverKey)
            #expect(again.problem == "unknown-vendor-api")
        }
    }

    @Test("Missing keys are generated in the vendor's form and shown once; the next request replaces the secret alone")
    func generates() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let path = "/v1/apps/\(app)/vendor-apis/"
            func turnOn(_ api: String) async throws -> VendorAPISecrets {
                try await server.send(.put, path + api, "{}", key: server.serverKey).decoded()
            }
            let first = try await turnOn("toast")
            let second = try await turnOn("toast")
            let core = try await turnOn("corepush")

            let key = try #require(first.key)
            #expect(key.wholeMatch(of: /[A-Za-z0-9]{16}/) != nil && second.key == nil)
            #expect(first.secret?.wholeMatch(of: /[A-Za-z0-9]{8}/) != nil && first.secret != second.secret)
            #expect(core.key?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            #expect(core.secret?.wholeMatch(of: /[A-Za-z0-9]{32}/) != nil)
            let found = try await server.engine.vendorAPIs.vendorAPI(.toast, key: key)
            #expect(found?.app == app && found?.accepts(secret: second.secret ?? "") == true)
            #expect(found?.accepts(secret: first.secret ?? "") == false)
            #expect(try await server.engine.vendorAPIs.vendorAPI(.corepush, key: key) == nil)
            // A key in the request replaces it.
            _ = try await server.engine.vendorAPIs.turnOn(.toast, app: app, VendorAPIRequest(key: "another-key"))
            #expect(try await server.engine.vendorAPIs.vendorAPI(.toast, key: key) == nil)
        }
    }

    @Test("A key belongs to one App, and a caller without scope admin turns nothing on")
    func refuses() async throws {
        try await TestServer.run { server in
            let (app, other) = (try await server.makeApp().app.id, try await server.makeApp().app.id)
            let body = #"{"key":"zaq1xsw2cde3vfr4"}"#
            func put(_ app: AppID, _ api: String, _ body: String, key: String) async throws -> TestResponse {
                try await server.send(.put, "/v1/apps/\(app)/vendor-apis/\(api)", body, key: key)
            }
            #expect(try await put(app, "toast", body, key: server.serverKey).status == .ok)
            #expect(try await put(app, "toast", body, key: server.serverKey).status == .ok)
            #expect(try await put(other, "toast", body, key: server.serverKey).problem == "conflict")
            #expect(try await put(other, "corepush", body, key: server.serverKey).status == .ok)
            let reader = try await server.makeKey(app, .read)
            #expect(try await put(app, "toast", body, key: reader).problem == "missing-scope")
            #expect(try await put(app, "fcm", body, key: server.serverKey).problem == "unknown-vendor-api")
            for (bad, field) in [
                (#"{"key":"short"}"#, "key"), (#"{"key":"with space"}"#, "key"), (#"{"secret":"a b c d e"}"#, "secret"),
                (#"{"secret":"1234567"}"#, "secret"),
            ] {
                #expect(try await put(app, "toast", bad, key: server.serverKey).field == field, "\(bad)")
            }
        }
    }
}
