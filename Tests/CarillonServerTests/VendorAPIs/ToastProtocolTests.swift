import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// TOAST Push's envelope, keys, versions, ids and times.
struct ToastProtocolTests {
    @Test("T-01 every answer is 200 with an envelope, also errors of the server's own")
    func envelope() async throws {
        try await ToastClient.run { client async throws in
            let good = try await client.send(.get, "tags")
            #expect(good["header"] == ["isSuccessful": true, "resultCode": 0, "resultMessage": "success"])
            #expect(good["tags"] == .array([]))
            for (method, path, body, code) in [
                (HTTPRequest.Method.get, "nothing", nil, 40401), (.patch, "tags", "{}", 40401),
                (.post, "tags", "{", 40002), (.post, "tags", "[]", 40002), (.post, "tags", "{}", 40003),
                (.post, "tags", String(repeating: " ", count: 70_000) + "{}", 40008),
                (.get, "tags/unknown", nil, 40401),
            ] as [(HTTPRequest.Method, String, String?, Int64)] {
                let reply = try await client.send(method, path, body)
                #expect(reply.isSuccessful == false && reply.code == code, "\(method) \(path): \(reply.body)")
                #expect(!reply.message.isEmpty && reply.body.object?.count == 1)
            }
        }
    }

    @Test("T-02 a keyed call needs the secret key, an app's call does not")
    func secretKey() async throws {
        try await ToastClient.run { client async throws in
            for path in [
                "tokens?uid=u", "tokens-by-cursor", "tags", "messages", "reservations", "stats?eventCategory=MESSAGE",
            ] {
                #expect(try await client.send(.get, path, secret: nil).code == 40101, "\(path)")
                #expect(try await client.send(.get, path, secret: "wrongkey").code == 40102, "\(path)")
                #expect(try await client.send(.get, path).code == 0, "\(path)")
            }
            try await client.register(1, uid: "u-1")
            let tag = try await client.makeTag("news")
            for (method, path, body) in [
                (HTTPRequest.Method.get, "tokens/\(ToastClient.token(1))?pushType=APNS", nil),
                (.post, "uids/u-1/tag-ids", #"{"tagIds":["\#(tag)"]}"#), (.get, "uids/u-1/tag-ids", nil),
                (.put, "uids/u-1/tag-ids", #"{"tagIds":["\#(tag)"]}"#),
                (.delete, "uids/u-1/tag-ids?tagIds=\(tag)", nil),
                (.delete, "tokens/\(ToastClient.token(1))?pushType=APNS", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                #expect(try await client.send(method, path, body, secret: nil).code == 0, "\(method) \(path)")
            }
        }
    }

    @Test("T-02 in v2.2 the secret key comes as X-Secret-Access-Key")
    func accessKey() async throws {
        try await ToastClient.run { client async throws in
            let headers = ["X-User-Access-Key-ID": "id", "X-Secret-Access-Key": ToastClient.secretKey]
            #expect(try await client.of("v2.2").send(.get, "tags", secret: nil, headers: headers).code == 0)
        }
    }

    @Test("T-03 an unknown app key is refused with 40102")
    func unknownAppKey() async throws {
        try await ToastClient.run { client async throws in
            for key in ["unknownunknown00", "x", String(repeating: "k", count: 300)] {
                #expect(try await client.send(.get, "tags", appKey: key).code == 40102)
            }
        }
    }

    @Test("T-04 an unknown id is 40401, with the field and its value")
    func unknownIDs() async throws {
        try await ToastClient.run { client async throws in
            for (path, text) in [
                ("messages/5", "messageId<5>"), ("reservations/5", "reservationId<5>"),
                ("reservations/5/messages", "reservationId<5>"), ("tags/ZZPP00b6", "tagId<ZZPP00b6>"),
                ("tags/no", "tagId<no>"), ("uids/nobody", "uid<nobody>"), ("messages/x", "messageId<x>"),
                ("invalid-tokens?messageId=7", "messageId<7>"), ("message-errors?messageId=7", "messageId<7>"),
            ] {
                let reply = try await client.send(.get, path)
                #expect(reply.code == 40401 && reply.message.hasSuffix(" " + text), "\(path): \(reply.message)")
            }
        }
    }

    @Test("T-05 other versions are 40011", arguments: ["v1.3", "v2.5", "v3.0", "x"])
    func versions(_ version: String) async throws {
        try await ToastClient.run { client async throws in
            #expect(try await client.of(version).send(.get, "tags").code == 40011)
            #expect(try await client.of(version).send(.get, "nothing").code == 40011)
            for known in ["v2.0", "v2.1", "v2.2", "v2.3", "v2.4"] {
                #expect(try await client.of(known).send(.get, "tags").code == 0)
            }
        }
    }

    @Test("T-06 an id beyond 2^53 comes as a number and as a text")
    func bigIDs() async throws {
        try await ToastClient.run { client async throws in
            let reply = try await client.send(.post, "messages", ToastMessageTests.body())
            let id = try #require(reply["message"]?["messageId"]?.integer)
            #expect(id > 1 << 53)
            #expect(reply["message"]?["messageIdString"] == .string("\(id)"))
        }
        // The first number that floating-point does not have.
        let odd = Int64(1 << 53) + 1
        let expected: [String: JSONValue] = ["id": .integer(odd), "idString": "9007199254740993"]
        #expect(JSONValue.ids("id", odd) == expected)
    }

    @Test("T-07 a time has an offset, and a wrong one is the client's error")
    func times() async throws {
        try await ToastClient.run { client async throws in
            // 2026-11-21T08:44Z is 17:44 in Korea.
            try await client.register(1, uid: "u-1")
            let tag = try await client.makeTag("news")
            let shown = try await client.send(.get, "tags/\(tag)")
            #expect(shown["tag"]?["createdDateTime"] == "2026-11-21T17:44:00.000+09:00")
            for (time, code) in [
                ("2026-11-21T00:00:00.000%2B09:00", 0), ("2026-11-21T00:00%2B09:00", 0), ("2026-11-20T00:00:00Z", 0),
                ("2026-11-20T12:00:00.000-05:00", 0), ("2026-11-20T00:00", 0), ("yesterday", 40002),
                ("2026-13-01T00:00:00.000%2B09:00", 40002), ("2026-11-21T00:00:00.000+09:00", 0),
            ] as [(String, Int64)] {
                #expect(try await client.send(.get, "messages?from=\(time)").code == code, "\(time)")
            }
            _ = try await client.send(.post, "messages", ToastMessageTests.body())
            client.server.clock.advance(byMilliseconds: 120_000)
            for (time, count) in [
                ("2026-11-21T17:44:00.000%2B09:00", 1), ("2026-11-21T17:45:00.000%2B09:00", 0),
                ("2026-11-21T08:44:00.000Z", 1), ("2026-11-21T08:45:00.000Z", 0),
                ("2026-11-21T03:44:00.000-05:00", 1), ("2026-11-21T03:45:00.000-05:00", 0),
                ("2026-11-21T17:44:00.000", 1), ("2026-11-21T17:45:00.000", 0),
            ] as [(String, Int64)] {
                let found = try await client.send(.get, "messages?from=\(time)")["totalCount"]
                #expect(found == .integer(count), "\(time)")
            }
        }
    }

    @Test("T-07 a range that ends at a minute has the whole minute")
    func wholeMinute() {
        let end = ToastDate.time("2018-10-30T10:00+09:00", isEnd: true)
        #expect(end == Timestamp("2018-10-30T01:00:59.999Z"))
        #expect(ToastDate.time("2018-10-30T10:00+09:00") == Timestamp("2018-10-30T01:00:00Z"))
        #expect(ToastDate.time("2018-10-30T10:00") == Timestamp("2018-10-30T01:00:00Z"))
        #expect(ToastDate.time("2018-10-30T10:00:30.000+09:00", isEnd: true) == Timestamp("2018-10-30T01:00:30Z"))
        #expect(ToastDate.time("2018-10-30") == nil)
    }

    @Test("T-08 what is more than thirty days old is not served")
    func reach() async throws {
        try await ToastClient.run { client async throws in
            for path in ["messages", "reservations", "invalid-tokens", "message-errors", "stats"] {
                let query = path + "?eventCategory=MESSAGE&from="
                // Thirty days ago, and a minute for the way of the request.
                #expect(try await client.send(.get, query + "2026-10-22T08:42:59.999Z").code == 40001, "\(path)")
                #expect(try await client.send(.get, query + "2026-10-22T08:43:00.000Z").code == 0, "\(path)")
            }
            _ = try await client.send(.post, "messages", ToastMessageTests.body())
            #expect(try await client.send(.get, "messages?to=2026-11-22T00:00")["totalCount"] == 1)
            client.server.clock.advance(byMilliseconds: 31 * 86_400_000)
            // A range that only ends reaches no further back than others.
            #expect(try await client.send(.get, "messages?to=2026-12-21T00:00")["totalCount"] == 0)
        }
    }

    @Test("The older versions have the codes of their own table")
    func oldCodes() throws {
        let old = ToastFailure.Kind.allCases.map { $0.code(.v22) }
        let new = ToastFailure.Kind.allCases.map { $0.code(.v24) }
        #expect(
            new == [
                40001, 40002, 40003, 40007, 40008, 40009, 40010, 40011, 40012, 40013, 40014, 40101, 40102, 40401, 40402,
                50001,
            ]
        )
        #expect(
            old == [
                40001, 40002, 40003, 40006, 40007, 40008, 40010, 40011, 40003, 40003, 40002, 40101, 40102, 40401, 40401,
                50001,
            ]
        )
    }

    private struct Unexpected: Error {}

    @Test("Errors of the server's own are 50001, whatever they are, and say nothing of its inside")
    func ownErrors() {
        let errors: [any Error] = [
            EngineError.store(.full), EngineError.store(.failed("secret")), Problem.internalError,
            Problem.storeUnavailable, ProblemAnswer(problem: .internalError, headers: [:]), Unexpected(),
        ]
        for error in errors {
            let failure = ToastFailure(any: error)
            #expect(failure.kind == .internalError && failure.message == "Internal Error.", "\(error)")
            #expect(CorePushFailure(any: error) == .internalError, "\(error)")
        }
    }

    @Test("Wrong keys of an address are limited, and so are a back end's calls, in the vendor's form")
    func limits() async throws {
        try await ToastClient.run { configuration, _ in
            configuration.requestLimits?.unknownKey = 0.01
        } _: { client async throws in
            #expect(try await client.send(.get, "tags", secret: "wrong").code == 40102)
            #expect(try await client.send(.get, "tags", secret: "wrong").code == 40008)
            #expect(try await client.send(.get, "uids/u-1/tag-ids", secret: nil).code == 0)
        }
        try await ToastClient.run { configuration, _ in
            configuration.requestLimits?.apiKey = 0.01
        } _: { client async throws in
            #expect(try await client.send(.get, "tags").code == 0)
            #expect(try await client.send(.get, "tags").code == 40008)
        }
        try await ToastClient.run { configuration, _ in
            configuration.registrationLimiter = RegistrationLimiter(rate: 0.01, burst: 1)
        } _: { client async throws in
            try await client.register(1, uid: "u-1")
            let body = try ToastClient.registration()
            #expect(try await client.send(.post, "tokens", body, secret: nil).code == 40008)
            #expect(try await client.send(.post, "tokens", body).code == 0)
        }
    }

    @Test("The audit log has keyed changes as coming through the API, and one a minute of each of an app's calls")
    func audit() async throws {
        try await ToastClient.run { client async throws in
            for byte in 1...3 { try await client.register(byte, uid: "u-1") }
            _ = try await client.makeTag("news")
            _ = try await client.send(.get, "tags")
            _ = try await client.send(.get, "tokens?uid=u-1")
            _ = try await client.send(.post, "tags", #"{"tagName":"x"}"#, secret: "wrong")

            let page: Page<AuditEntry> = try await client.server.send(
                .get,
                "/v1/audit?app=\(client.app)",
                key: client.server.serverKey
            ).decoded()
            let entries = page.items.filter { $0.action.contains("/push/") }
            #expect(
                entries.map(\.action) == [
                    "GET /push/{version}/appkeys/{appkey}/tokens", "POST /push/{version}/appkeys/{appkey}/tags",
                    "POST /push/{version}/appkeys/{appkey}/tokens",
                ]
            )
            #expect(entries.map(\.actor) == ["toast", "toast", "toast-app"] && entries.allSatisfy { $0.status == 200 })
            let all: Page<AuditEntry> = try await client.server.send(.get, "/v1/audit", key: client.server.serverKey)
                .decoded()
            #expect(all.items.contains { $0.actor == "unknown" && $0.status == 401 && $0.app == nil })
        }
    }
}
