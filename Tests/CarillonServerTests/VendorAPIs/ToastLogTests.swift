import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// What became of messages, through TOAST Push's API.
struct ToastLogTests {
    /// Sends to everybody, and leaves what a dispatcher would have left: an outcome for each of the Devices.
    private func send(
        _ client: ToastClient,
        _ outcomes: [(byte: Int, outcome: Delivery.Outcome, reason: String)]
    ) async throws -> Int64 {
        let reply = try await client.send(.post, "messages", ToastMessageTests.body())
        let number = try #require(reply["message"]?["messageId"]?.integer)
        for (byte, outcome, reason) in outcomes {
            try await client.register(byte, uid: "u-\(byte)")
            try await client.leave(number, byte, outcome, reason)
        }
        return number
    }

    @Test("T-43 a message is in the log with its tokens, by message, uid and token")
    func log() async throws {
        try await ToastClient.run { client async throws in
            let id = try await send(client, [(1, .accepted, ""), (2, .failed, "TooManyRequests")])
            func logs(_ query: String) async throws -> [JSONValue] {
                let reply = try await client.send(.get, "logs/message?" + query)
                #expect(reply.code == 0, "\(reply.body)")
                return reply["data"]?["logs"]?.array ?? []
            }
            _ = try await send(client, [(3, .accepted, "")])
            let all = try await logs("messageId=\(id)")
            #expect(all.compactMap { $0["sentResult"] } == ["SENT", "ERROR"])
            #expect(all.allSatisfy { $0["messageId"] == .string("\(id)") && $0["pushType"] == "APNS" })
            let body = try #require(all.first?["body"]?.string)
            #expect(
                body == #"{"payload":null,"tokens":[{"token":"\#(ToastClient.token(1))","uid":"u-1"}]}"#
            )
            #expect(try await logs("uid=u-2").count == 1)
            #expect(try await logs("token=\(ToastClient.token(1))").count == 1)
            #expect(try await logs("messageId=\(id)&limit=1&pageNumber=2").compactMap { $0["sentResult"] } == ["ERROR"])
            #expect(try await logs("messageId=\(id)&pushType=APNS_VOIP") == [])
            #expect(try await client.send(.get, "logs/message").code == 40003)
        }
    }

    @Test("T-26 T-42 T-54 T-56 failures have their cause; tokens that are dead are not among them")
    func errors() async throws {
        try await ToastClient.run { client async throws in
            let id = try await send(
                client,
                [
                    (1, .accepted, ""), (2, .expired, "Expired"), (3, .skipped, "DuplicateMessage"),
                    (4, .failed, "PayloadTooLarge"), (5, .failed, "InternalServerError"), (6, .skipped, "NoConsent"),
                    (7, .failed, "InvalidProviderToken"), (8, .failed, "Unregistered"),
                ]
            )
            func causes(_ query: String) async throws -> [String] {
                let reply = try await client.send(.get, "message-errors?" + query)
                #expect(reply.code == 0, "\(reply.body)")
                return (reply["messageErrors"]?.array ?? []).map { error in
                    "\(error["messageErrorType"]?.string ?? "") \(error["messageErrorCause"]?.string ?? "")"
                }
            }
            let expected = [
                "INTERNAL_ERROR EXPIRED_TIME_OUT", "CLIENT_ERROR DUPLICATED_MESSAGE_TOKEN",
                "CLIENT_ERROR INVALID_MESSAGE", "EXTERNAL_ERROR APNS_ERROR", "CLIENT_ERROR INVALID_CERTIFICATE",
            ]
            #expect(try await causes("messageId=\(id)") == expected)
            #expect(try await causes("") == expected)
            #expect(try await causes("messageErrorType=CLIENT_ERROR").count == 3)
            #expect(try await causes("messagErrorCause=EXPIRED_TIME_OUT") == [expected[0]])
            #expect(try await causes("messageId=\(id)&limit=3&pageNumber=2") == Array(expected[3...]))
            let first = try await client.send(.get, "message-errors?limit=1")["messageErrors"]?.array?.first
            #expect(first?["tokens"] == [.object(["uid": "u-2", "token": .string(ToastClient.token(2))])])
            // What began before a range may fail within it.
            client.server.clock.advance(byMilliseconds: 3_600_000)
            try await client.register(9, uid: "u-9")
            try await client.leave(id, 9, .expired, "Expired")
            #expect(try await causes("from=2026-11-21T18:00") == [expected[0]])
        }
    }

    @Test("T-80 a page too far on is too many results")
    func tooMany() async throws {
        try await ToastClient.run { client async throws in
            let reply = try await client.send(.get, "message-errors?limit=100&pageNumber=101")
            #expect(reply.code == 40010 && reply.message.contains("totalCount<"))
            #expect(try await client.send(.get, "message-errors?limit=100&pageNumber=100").code == 0)
            #expect(try await client.send(.get, "message-errors?pageNumber=0").code == 40001)
        }
    }

    @Test("T-26 T-27 dead tokens are listed with their message, by message and time")
    func invalidTokens() async throws {
        try await ToastClient.run { client async throws in
            let id = try await send(client, [(1, .failed, "Unregistered")])
            try await client.leaveDead(id, numbers: [nil])
            func tokens(_ query: String) async throws -> [JSONValue] {
                let reply = try await client.send(.get, "invalid-tokens?" + query)
                #expect(reply.code == 0, "\(reply.body)")
                return reply["invalidTokens"]?.array ?? []
            }
            let expected = JSONValue.object([
                "messageId": .integer(id), "messageIdString": .string("\(id)"), "uid": "u-1", "pushType": "APNS",
                "token": .string(ToastClient.token(1)), "createdDateTime": "2026-11-21T17:44:00.000+09:00",
            ])
            #expect(try await tokens("") == [expected])
            #expect(try await tokens("messageId=\(id)&pageSize=1000") == [expected])
            #expect(try await tokens("from=2026-11-21T17:44:00.000%2B09:00") == [expected])
            #expect(try await tokens("to=2026-11-21T17:43%2B09:00") == [])
            #expect(try await tokens("to=2026-11-21T17:44%2B09:00") == [expected])
            #expect(try await tokens("pageIndex=1") == [])
            client.server.clock.advance(byMilliseconds: 600_000)
            let next = try await send(client, [(2, .failed, "Unregistered")])
            try await client.leaveDead(next, numbers: [nil])
            #expect(try await tokens("messageId=\(id)") == [expected])
            let later = try await tokens("messageId=\(next)")
            #expect(later.count == 2 && later.allSatisfy { $0["messageId"] == .integer(next) })
            #expect(try await tokens("from=2026-11-21T17:45").count == 2)
            #expect(try await tokens("to=2026-11-21T17:45") == [expected])
            #expect(try await client.token(1) == nil)
            #expect(try await client.send(.get, "message-errors?messageId=\(id)")["messageErrors"] == [])
        }
    }

    @Test("T-27 a page of dead tokens has a hundred at most, 25 when none is asked for")
    func pagesOfInvalidTokens() async throws {
        try await ToastClient.run { client async throws in
            let id = try await send(client, [(1, .failed, "Unregistered")])
            try await client.leaveDead(id, numbers: (1_001...1_101).map(Int64?.some))
            func count(_ query: String) async throws -> Int? {
                try await client.send(.get, "invalid-tokens?" + query)["invalidTokens"]?.array?.count
            }
            #expect(try await count("") == 25)
            #expect(try await count("pageSize=1000") == 100)
            #expect(try await count("pageSize=1000&pageIndex=1") == 1)
        }
    }

    @Test("T-80 many messages without failures do not make a list too long, and failures behind them are found")
    func manyWithoutFailures() async throws {
        try await ToastClient.run { client async throws in
            let id = try await send(client, [(1, .expired, "Expired")])
            try await client.leaveFirings(300, after: id)
            let reply = try await client.send(.get, "message-errors")
            #expect(reply.code == 0, "\(reply.body)")
            #expect(reply["messageErrors"]?.array?.compactMap { $0["messageId"] } == [.integer(id)])
            // A Campaign that was created long before the range, and fired in it, has its failures too.
            _ = try await client.server.stores.database.write { connection in
                try connection.run("UPDATE campaigns SET created_at = 0 WHERE app_id = $1", client.app)
            }
            #expect(try await client.send(.get, "message-errors")["messageErrors"]?.array?.count == 1)
        }
    }
}
