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
                #expect(token.count < 8 || !reply.message.contains(token.prefix(8)))
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
            if field == "country" { #expect(try await code("K") == 40001) }
            // Of nine characters, and a language otherwise.
            if field == "language" { #expect(try await code("de-abcdef") == 40001) }
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
            // The same again, without any change.
            client.server.clock.advance(byMilliseconds: 60_000)
            try await client.register(1, uid: "u-1", ["language": "ja", "deviceId": "OTHER"])
            #expect(try await client.token(1)?["activatedDateTime"] == "2026-11-21T17:46:00.000+09:00")
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

            // Two records, of which the new one stays.
            for byte in 3...4 { try await client.register(byte, uid: "u-1", ["deviceId": nil]) }
            #expect(try await client.send(.get, "tokens?uid=u-1")["tokens"]?.array?.count == 3)
            let known: [String: JSONValue?] = ["oldToken": .string(ToastClient.token(3)), "deviceId": nil]
            try await client.register(4, uid: "u-1", known)
            #expect(try await client.token(3) == nil)
            #expect(try await client.token(4)?["uid"] == "u-1")
            #expect(try await client.send(.get, "tokens?uid=u-1")["tokens"]?.array?.count == 2)
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
}
