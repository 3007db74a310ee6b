import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// Reading and deleting tokens through TOAST Push's API, and whose they are.
struct ToastTokenListTests {
    @Test("T-20 T-21 an App decides whether a uid has one token or many; VoIP tokens are apart")
    func tokensPerUser() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-1")
            try await client.register(2, uid: "u-1")
            #expect(try await client.send(.get, "tokens?uid=u-1")["tokens"]?.array?.count == 2)
            var change = AppUpdate()
            change.tokensPerUser = .one
            _ = try await client.server.engine.apps.update(client.app, change)
            try await client.register(8, uid: "u-1", ["pushType": "APNS_VOIP"])
            try await client.register(3, uid: "u-1")

            let tokens = try await client.send(.get, "tokens?uid=u-1")["tokens"]?.array ?? []
            #expect(Set(tokens.compactMap { $0["pushType"]?.string }) == ["APNS", "APNS_VOIP"] && tokens.count == 2)
            #expect(try await client.token(3) != nil)
        }
    }

    @Test("T-22 all tokens are paged by uid and token, without gap or repetition")
    func pages() async throws {
        try await ToastClient.run { client async throws in
            for byte in 1...7 { try await client.register(byte, uid: "u-\(byte % 3)") }
            try await client.register(
                20,
                uid: "u-1",
                [
                    "pushType": "APNS_VOIP", "deviceId": "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
                ]
            )
            var found: [String] = []
            var query = "tokens-by-cursor?limit=2"
            while true {
                let page = try await client.send(.get, query)["tokens"]?.array ?? []
                guard let last = page.last, let uid = last["uid"]?.string, let token = last["token"]?.string else {
                    break
                }
                #expect(page.count <= 2)
                found += page.compactMap { $0["token"]?.string }
                query = "tokens-by-cursor?limit=2&cursorUid=\(uid)&cursorToken=\(token)"
            }
            #expect(found.count == 8 && Set(found).count == 8)
            let first = try #require(found.first)
            #expect(try await client.send(.get, "tokens-by-cursor?cursorUid=u-1").code == 40003)
            #expect(try await client.send(.get, "tokens-by-cursor?cursorToken=\(first)").code == 40003)
        }
    }

    @Test("T-22 a page of all tokens has a thousand at most")
    func largestPage() async throws {
        try await ToastClient.run { client async throws in
            for number in 1...1_001 {
                let token = String(repeating: String(format: "%04x", number), count: 16)
                let registration = TokenRegistration(
                    token: try #require(DeviceToken(hexadecimal: token)),
                    pushType: .apns,
                    user: UserID(rawValue: "u-\(number)"),
                    consent: Consent(notifications: true)
                )
                let devices = client.server.engine.devices
                _ = try await devices.register(registration, app: client.app, api: .toast, isTrusted: true)
            }
            for query in ["", "?limit=1000", "?limit=5000"] {
                let page = try await client.send(.get, "tokens-by-cursor" + query)["tokens"]?.array
                #expect(page?.count == 1_000)
            }
        }
    }

    @Test("T-23 a uid's tokens are all of them, of the sandbox too, the newest first")
    func tokensOfUser() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-1")
            try await client.register(2, uid: "u-1", ["pushType": "APNS_SANDBOX"])
            try await client.register(3, uid: "u-1", ["pushType": "APNS_SANDBOXVOIP"])
            let tokens = try await client.send(.get, "tokens?uid=u-1")["tokens"]?.array ?? []
            #expect(tokens.compactMap { $0["pushType"]?.string } == ["APNS_SANDBOXVOIP", "APNS_SANDBOX", "APNS"])
        }
    }

    @Test("T-24 a token is deleted of one type, or of all types")
    func deletes() async throws {
        try await ToastClient.run { client async throws in
            for type in ["APNS", "APNS_SANDBOX", "APNS_VOIP"] {
                try await client.register(1, uid: "u-1", ["pushType": .string(type), "deviceId": .string("d-" + type)])
            }
            let path = "tokens/\(ToastClient.token(1))"
            #expect(try await client.send(.delete, path + "?pushType=APNS", secret: nil).code == 0)
            #expect(try await client.token(1) == nil)
            #expect(try await client.token(1, "APNS_SANDBOX") != nil)
            #expect(try await client.send(.delete, path, secret: nil).code == 0)
            #expect(try await client.token(1, "APNS_SANDBOX") == nil)
            #expect(try await client.token(1, "APNS_VOIP") == nil)
            #expect(try await client.send(.delete, path, secret: nil).code == 40401)
            // Nothing is left of devices that had no other token.
            #expect(
                try await client.server.engine.devices.list(app: client.app, user: nil, cursor: nil, limit: 10).items
                    == []
            )
        }
    }

    @Test("T-25 one token belongs to several uids by its tenants, on one device")
    func tenants() async throws {
        try await ToastClient.run { client async throws in
            for tenant in ["a", "b"] {
                let token = JSONValue.string(ToastClient.token(1) + "#tenant=" + tenant)
                try await client.register(1, uid: "u-\(tenant)", ["token": token])
            }
            for tenant in ["a", "b"] {
                let record = try #require(try await client.token(1, tenant: tenant))
                #expect(record["uid"] == .string("u-\(tenant)"))
                #expect(record["token"] == .string(ToastClient.token(1) + "#tenant=" + tenant))
                #expect(record["deviceId"] == "3F2504E0-4F89-41D3-9A0C-0305E82C3301")
            }
            #expect(try await client.token(1) == nil)
        }
    }

    @Test("A device that its app registered with the SDK is neither read nor changed without the secret key")
    func leavesOwnDevices() async throws {
        try await TestServer.run { server in
            let secrets = try await server.makeApp()
            let keys = VendorAPIRequest(key: ToastClient.appKey, secret: ToastClient.secretKey)
            _ = try await server.engine.vendorAPIs.turnOn(.toast, app: secrets.app.id, keys)
            let client = ToastClient(server: server, app: secrets.app.id)
            let device = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            let body = #"{"token":"\#(ToastClient.token(1))","user":"own","consent":{"notifications":true}}"#
            let made = try await server.send(.put, "/v1/devices/\(device)", body, headers: server.device(secrets))
            #expect(made.status == .created)
            func registration(_ changes: [String: JSONValue?]) async throws -> Int64? {
                try await client.send(.post, "tokens", try ToastClient.registration(changes), secret: nil).code
            }

            #expect(try await registration(["deviceId": .string(device)]) == 40101)
            #expect(try await client.token(1) == nil)
            let path = "tokens/\(ToastClient.token(1))"
            #expect(try await client.send(.delete, path, secret: nil).code == 40101)
            #expect(try await client.send(.get, path + "?pushType=APNS")["token"]?["uid"] == "own")

            // Another device may take the token over, and nothing else.
            #expect(try await registration(["deviceId": "other", "uid": "thief"]) == 0)
            let record = try await server.send(.get, "/v1/devices/\(device)", headers: server.device(secrets))
            let shown: DeviceRecord = try record.decoded()
            #expect(shown.tokenState == .none && shown.user == UserID(rawValue: "own"))
        }
    }

    @Test("An App whose identity is signed takes uids from back ends alone")
    func signedIdentity() async throws {
        try await ToastClient.run(identity: .signed) { client async throws in
            let body = try ToastClient.registration()
            let reply = try await client.send(.post, "tokens", body, secret: nil)
            #expect(reply.code == 40101 && reply.message.contains("uid<"))
            #expect(try await client.send(.get, "uids/u-1/tag-ids", secret: nil).code == 40101)
            #expect(try await client.send(.post, "tokens", body).code == 0)
            #expect(try await client.token(1)?["uid"] == "u-1")
        }
    }

    @Test("The fields of a record are those of its version")
    func versions() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-1")
            func names(_ version: String) async throws -> Set<String> {
                let names = try await client.of(version).token(1)?.object?.keys
                return Set(names.map(Array.init) ?? []).intersection([
                    "updateDateTime", "updatedDateTime", "deviceId", "activatedDateTime",
                ])
            }
            #expect(try await names("v2.0") == ["updateDateTime"])
            #expect(try await names("v2.1") == ["updateDateTime", "deviceId", "activatedDateTime"])
            #expect(try await names("v2.2") == ["deviceId", "activatedDateTime"])
            #expect(try await names("v2.3") == ["updatedDateTime", "deviceId", "activatedDateTime"])
        }
    }
}
