import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// Statistics through TOAST Push's API; receipts are counted in a test from end to end.
struct ToastStatisticsTests {
    /// Sends a message under a key to the two Devices there are, with one outcome for both.
    private func send(_ client: ToastClient, _ key: StatisticsID, _ outcome: Delivery.Outcome) async throws -> Int64 {
        let body = ToastMessageTests.body(["statsId": .string(key.description)])
        let id = try #require(try await client.send(.post, "messages", body)["message"]?["messageId"]?.integer)
        try await client.server.deliver(OccurrenceID(rawValue: id), app: client.app, outcome)
        return id
    }

    private func key(_ client: ToastClient, _ name: String) async throws -> StatisticsID {
        try await client.server.engine.statistics.create(app: client.app, StatisticsKeyRequest(name: name)).id
    }

    @Test("T-76 counts are those of the keys, message and push types that a query names")
    func filters() async throws {
        try await ToastClient.run { client async throws in
            for byte in 1...2 { try await client.register(byte, uid: "u-\(byte)") }
            let keys = [try await key(client, "a"), try await key(client, "b")]
            let ids = [try await send(client, keys[0], .accepted), try await send(client, keys[1], .expired)]
            for (query, sent, failed) in [
                ("", 2, 2), ("&statsIds=\(keys[0])", 2, 0), ("&statsIds=\(keys[1])", 0, 2),
                ("&statsIds=\(keys[0]),\(keys[1])", 2, 2), ("&messageId=\(ids[0])", 2, 0),
                ("&messageId=\(ids[1])", 0, 2), ("&extra1s=APNS,FCM", 2, 2), ("&extra1s=APNS_VOIP", 0, 0),
                ("&extra1s=FCM", 0, 0), ("&to=2026-11-20T17:43", 0, 0),
            ] as [(String, Int64, Int64)] {
                let total = try await client.send(.get, "stats/total?eventCategory=MESSAGE" + query)
                let expected: [String: JSONValue] = [
                    "SENT": .integer(sent), "SENT_FAILED": .integer(failed), "RECEIVED": 0, "OPENED": 0,
                ]
                #expect(total.code == 0 && total["total"] == .object(expected), "\(query): \(total.body)")
                let points = try await client.send(.get, "stats?eventCategory=MESSAGE" + query)["stats"]?.array ?? []
                #expect(points.compactMap { $0["events"]?["SENT"]?.integer }.reduce(0, +) == sent, "\(query)")
                #expect(points.compactMap { $0["events"]?["SENT_FAILED"]?.integer }.reduce(0, +) == failed, "\(query)")
            }
        }
    }

    @Test(
        "T-76 without a unit the range decides: minutes up to an hour, hours below a day, otherwise days",
        arguments: [
            ("from=2026-11-21T17:30:00.000&to=2026-11-21T17:59:00.000", "17:44"),
            ("from=2026-11-21T17:00:00.000&to=2026-11-21T18:00:00.000", "17:44"),
            ("from=2026-11-21T17:00:00.000&to=2026-11-21T18:00:00.001", "17:00"),
            ("from=2026-11-20T18:00:00.000&to=2026-11-21T17:59:59.999", "17:00"),
            ("from=2026-11-20T18:00:00.000&to=2026-11-21T18:00:00.000", "00:00"), ("", "00:00"),
            ("from=2026-11-14T17:44:00.000&timeUnit=HOURS", "17:00"),
            ("from=2026-11-21T17:40:00.000&statisticsType=BY_DAY", "00:00"),
        ]
    )
    func units(_ range: String, _ time: String) async throws {
        try await ToastClient.run { client async throws in
            for byte in 1...2 { try await client.register(byte, uid: "u-\(byte)") }
            _ = try await send(client, try await key(client, "a"), .accepted)
            let reply = try await client.send(.get, "stats?eventCategory=MESSAGE&" + range)
            let times = reply["stats"]?.array?.compactMap { $0["eventDateTime"] }
            #expect(times == [.string("2026-11-21T\(time):00.000+09:00")], "\(reply.body)")
        }
    }

    @Test("T-78 failed sends have their causes in the second extra")
    func causes() async throws {
        try await ToastClient.run { client async throws in
            for byte in 1...2 { try await client.register(byte, uid: "u-\(byte)") }
            _ = try await send(client, try await key(client, "a"), .expired)
            let query = "eventCategory=MESSAGE&statsCriteria=EXTRA_2"
            let total = try #require(try await client.send(.get, "stats/total?" + query)["total"]?.object)
            #expect(Array(total.values) == [2], "\(total)")
            let points = try await client.send(.get, "stats?" + query)["stats"]?.array ?? []
            #expect(points.compactMap { $0["events"] } == [.object(total)])
        }
    }

    @Test("T-76 what is not counted is refused")
    func refusals() async throws {
        try await ToastClient.run { client async throws in
            for (query, code) in [
                ("", 40003), ("eventCategory=TOKEN_COUNTRY", 40001), ("eventCategory=X", 40001),
                ("eventCategory=MESSAGE&statsIds=mine", 40401), ("eventCategory=MESSAGE&messageId=5", 40401),
                ("eventCategory=MESSAGE&statsCriteria=EXTRA_3", 40001), ("eventCategory=MESSAGE&extra1s=SMS", 40001),
            ] as [(String, Int64)] {
                #expect(try await client.send(.get, "stats?" + query).code == code, "\(query)")
            }
        }
    }
}
