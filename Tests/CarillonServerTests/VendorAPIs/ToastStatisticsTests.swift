import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// The query of statistics through TOAST Push's API; what is counted is tested from end to end.
struct ToastStatisticsTests {
    @Test("T-76 counts are filtered by keys, message and push types; what is not counted is refused")
    func queries() async throws {
        try await ToastClient.run { client async throws in
            let key = try await client.server.engine.statistics.create(app: client.app, StatisticsKeyRequest(name: "n"))
            let body = ToastMessageTests.body(["statsId": .string(key.id.description)])
            let id = try #require(try await client.send(.post, "messages", body)["message"]?["messageId"]?.integer)
            let none = JSONValue.object(["SENT": 0, "SENT_FAILED": 0, "RECEIVED": 0, "OPENED": 0])
            for query in [
                "", "&statsIds=\(key.id)", "&messageId=\(id)", "&extra1s=APNS,FCM", "&extra1s=FCM", "&timeUnit=HOURS",
            ] {
                let total = try await client.send(.get, "stats/total?eventCategory=MESSAGE" + query)
                #expect(total.code == 0 && total["total"] == none, "\(query): \(total.body)")
                #expect(try await client.send(.get, "stats?eventCategory=MESSAGE" + query)["stats"] == [])
            }
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
