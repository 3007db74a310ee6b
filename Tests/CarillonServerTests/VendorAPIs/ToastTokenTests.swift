import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Tokens through TOAST Push's API.
struct ToastTokenTests {
    @Test("T-09 a registration is returned as it was sent")
    func returnsRegistration() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-1", ["isNightAdAgreement": false])

            let record = try #require(try await client.token(1))
            let expected: [String: JSONValue] = [
                "token": .string(ToastClient.token(1)), "pushType": "APNS", "uid": "u-1", "country": "KR",
                "language": "ko", "timezoneId": "Asia/Seoul", "isNotificationAgreement": true, "isAdAgreement": true,
                "isNightAdAgreement": false, "deviceId": "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
                "nightAdAgreementDateTime": .null, "adAgreementDateTime": "2026-11-21T17:44:00.000+09:00",
                "updatedDateTime": "2026-11-21T17:44:00.000+09:00",
                "activatedDateTime": "2026-11-21T17:44:00.000+09:00",
            ]
            #expect(record.object == expected)
        }
    }

    @Test("T-10 a missing field is 40003, a wrong type 40002, a wrong word 40001")
    func fields() async throws {
        try await ToastClient.run { client async throws in
            func code(_ changes: [String: JSONValue?], _ client: ToastClient) async throws -> Int64? {
                try await client.send(.post, "tokens", try ToastClient.registration(changes), secret: nil).code
            }
            for field in [
                "token", "pushType", "isNotificationAgreement", "isAdAgreement", "isNightAdAgreement", "timezoneId",
                "country", "language", "uid", "deviceId",
            ] {
                #expect(try await code([field: nil], client) == 40003, "\(field)")
            }
            #expect(try await code(["isAdAgreement": "true"], client) == 40002)
            #expect(try await code(["uid": .integer(5)], client) == 40002)
            #expect(try await code(["pushType": "FCM"], client) == 40001)
            #expect(try await code(["pushType": "APN"], client) == 40001)
            #expect(try await code(["deviceId": nil], client.of("v2.2")) == 0)
            for (field, value) in [("timezoneId", "Asia/Nowhere"), ("language", "k"), ("language", "ko-")] {
                let body = try ToastClient.registration([field: .string(value), "uid": "u-wrong"])
                let reply = try await client.send(.post, "tokens", body, secret: nil)
                #expect(reply.code == 40001 && reply.message.contains("\(field)<\(value)>"), "\(reply.body)")
            }
            #expect(try await client.send(.get, "tokens?uid=u-wrong")["tokens"] == [])
        }
    }

    @Test("T-11 a token has at most 1,600 characters and is one of Apple's")
    func tokenLimits() async throws {
        try await ToastClient.run { client async throws in
            for (token, code, text) in [
                (String(repeating: "a", count: 1_601), 40001, "1,600"),
                (String(repeating: "x", count: 1_600), 40002, "Apple"),
                ("", 40003, "token"), ("가나다", 40002, "Apple"), (String(repeating: "ab", count: 100), 0, ""),
            ] as [(String, Int64, String)] {
                let body = try ToastClient.registration(["token": .string(token)])
                let reply = try await client.send(.post, "tokens", body, secret: nil)
                #expect(
                    reply.code == code && (text.isEmpty || reply.message.contains(text)),
                    "\(token.count): \(reply.message)"
                )
                // A token never stands in an answer about something else.
                #expect(token.count < 8 || !reply.message.contains(token))
            }
        }
    }

    @Test(
        "T-12 uid, deviceId, country and language have limits",
        arguments: [
            ("uid", 64, 65), ("deviceId", 36, 37), ("country", 3, 4), ("language", 8, 9),
        ]
    )
    func limits(_ field: String, good: Int, bad: Int) async throws {
        try await ToastClient.run { client async throws in
            func code(_ text: String) async throws -> Int64? {
                let body = try ToastClient.registration([field: .string(text)])
                return try await client.send(.post, "tokens", body, secret: nil).code
            }
            #expect(try await code(String(repeating: "a", count: good)) == 0)
            #expect(try await code(String(repeating: "a", count: bad)) == 40001)
            if field == "uid" { #expect(try await code("smile 😀") == 40001) }
        }
    }

    @Test("T-13 T-18 the same token twice is one record with the new values and the new time")
    func upserts() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-1")
            client.server.clock.advance(byMilliseconds: 60_000)
            try await client.register(1, uid: "u-1", ["language": "ja", "deviceId": "OTHER"])

            let record = try #require(try await client.token(1))
            #expect(record["language"] == "ja" && record["deviceId"] == "OTHER")
            #expect(record["activatedDateTime"] == "2026-11-21T17:45:00.000+09:00")
            let all = try await client.send(.get, "tokens?uid=u-1")
            #expect(all["tokens"]?.array?.count == 1)
        }
    }

    @Test("T-14 T-15 T-16 oldToken moves the record, is no change when it is the same, and leaves the new one alone")
    func movesTokens() async throws {
        try await ToastClient.run { client async throws in
            let old: [String: JSONValue?] = ["oldToken": .string(ToastClient.token(1)), "deviceId": nil]
            let client = client.of("v2.2")
            try await client.register(1, uid: "u-1", ["deviceId": nil])
            try await client.register(2, uid: "u-1", old)
            #expect(try await client.token(1) == nil)
            #expect(try await client.token(2)?["uid"] == "u-1")

            try await client.register(
                2,
                uid: "u-1",
                ["oldToken": .string(ToastClient.token(2)), "deviceId": nil]
            )
            #expect(try await client.token(2) != nil)

            try await client.register(1, uid: "u-1", ["deviceId": nil])
            try await client.register(2, uid: "u-1", old)
            #expect(try await client.token(1) == nil)
            #expect(try await client.send(.get, "tokens?uid=u-1")["tokens"]?.array?.count == 1)
        }
    }

    @Test("T-17 a second token with one deviceId removes the first; a VoIP token stays")
    func oneTokenOfDevice() async throws {
        try await ToastClient.run { client async throws in
            let device: [String: JSONValue?] = ["deviceId": "android-like-id"]
            try await client.register(1, uid: "u-1", device)
            try await client.register(9, uid: "u-1", ["deviceId": "android-like-id", "pushType": "APNS_VOIP"])
            try await client.register(2, uid: "u-1", device)

            #expect(try await client.token(1) == nil)
            #expect(try await client.token(2)?["deviceId"] == "android-like-id")
            #expect(try await client.token(9, "APNS_VOIP")?["pushType"] == "APNS_VOIP")
        }
    }

    @Test("T-19 consent to ads and to ads at night is stamped when it is given")
    func stamps() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-1", ["isAdAgreement": false, "isNightAdAgreement": false])
            #expect(try await client.token(1)?["adAgreementDateTime"] == .null)
            client.server.clock.advance(byMilliseconds: 60_000)
            try await client.register(1, uid: "u-1", ["isNightAdAgreement": false])
            client.server.clock.advance(byMilliseconds: 60_000)
            try await client.register(1, uid: "u-1")

            let record = try #require(try await client.token(1))
            #expect(record["adAgreementDateTime"] == "2026-11-21T17:45:00.000+09:00")
            #expect(record["nightAdAgreementDateTime"] == "2026-11-21T17:46:00.000+09:00")
        }
    }

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
