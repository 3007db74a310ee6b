import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// The fields of elements of lists, which are there only once something was sent; it is 2026-11-21T17:44 in Korea.
struct ToastAnswerTests {
    private func keys(_ value: JSONValue?) -> Set<String>? { value?.object.map { Set($0.keys) } }

    private func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }

    @Test("T-26 T-42 T-43 E5, E10 and E11 have every documented field", arguments: ToastVersion.allCases)
    func outcomes(_ version: ToastVersion) async throws {
        try await ToastClient.run { client async throws in
            for byte in 1...2 { try await client.register(byte, uid: "u-\(byte)") }
            let client = client.of(version.rawValue)
            let sent = try await client.send(.post, "messages", ToastMessageTests.body())
            let id = try #require(sent["message"]?["messageId"]?.integer)
            try await client.leave(id, 1, .failed, "InternalServerError")

            let error = try await client.send(.get, "message-errors")["messageErrors"]?.array?.first
            let errorFields =
                "messageId messageIdString pushType messageErrorType messageErrorCause payload createdDateTime tokens"
            #expect(keys(error) == words(errorFields))
            #expect(keys(error?["tokens"]?.array?.first) == words("uid token"))

            try await client.leaveDead(id, numbers: [nil])
            let dead = try await client.send(.get, "invalid-tokens")["invalidTokens"]?.array?.first
            #expect(keys(dead) == words("messageId messageIdString uid token pushType createdDateTime"))

            let data = try await client.send(.get, "logs/message?messageId=\(id)")["data"]
            #expect(data?["count"] == 1)
            let log = try #require(data?["logs"]?.array?.first)
            let logFields =
                "logType logSource messageId body logTime pushType sendTime searchKey1 searchKey2 searchKey3 sentResult "
                + "host appkey logVersion isNeedStored projectName SinkVersion projectVersion"
            #expect(keys(log) == words(logFields) && words(logFields).count == 18)
            #expect(log.object?.values.allSatisfy { $0.string != nil } == true)
            #expect(log["logType"] == "message-result" && log["searchKey1"] == .string("\(id)"))
            #expect(log["searchKey2"] == log["pushType"] && log["searchKey3"] == log["sentResult"])
        }
    }

    @Test("T-66 T-68 T-73 T-75 E12, E14, E16 and E34 have every documented field", arguments: ToastVersion.allCases)
    func reservations(_ version: ToastVersion) async throws {
        try await ToastClient.run { client async throws in
            for byte in 1...2 { try await client.register(byte, uid: "u-\(byte)") }
            let client = client.of(version.rawValue)
            let daily = #"{"type":"EVERY_DAY","fromDate":"2026-11-22","toDate":"2026-11-23","times":["09:00"]}"#
            let times = try #require(try await client.send(.post, "schedules", daily)["schedules"])
            #expect(times == ["2026-11-22T09:00", "2026-11-23T09:00"])
            let body = ToastMessageTests.body(["schedules": times, "isLocalTime": false])
            let made = try await client.send(.post, "reservations", body)
            let id = try #require(made["reservation"]?["reservationId"]?.integer)
            client.server.clock.advance(byMilliseconds: 55_000_000)
            try await client.server.begin(CampaignID(rawValue: id), app: client.app)
            let campaign = try await client.server.engine.campaigns.campaign(
                CampaignID(rawValue: id),
                within: client.app
            )
            try await client.server.deliver(try #require(campaign.occurrence), app: client.app)

            let list = try await client.send(.get, "reservations")["reservations"]?.array
            let schedules = try #require(list?.first?["schedules"]?.array)
            let fields =
                "scheduleId scheduleIdString reservationId reservationIdString deliveryDateTime timezoneOffset "
                + "scheduleStatus"
            #expect(schedules.count == 2 && Set(schedules.compactMap { $0["scheduleId"]?.integer }).count == 2)
            for schedule in schedules {
                let number = try #require(schedule["scheduleId"]?.integer)
                #expect(keys(schedule) == words(fields) && schedule["scheduleIdString"] == .string("\(number)"))
                #expect(schedule["reservationId"] == .integer(id))
                #expect(schedule["reservationIdString"] == .string("\(id)") && schedule["timezoneOffset"] == "+09:00")
            }

            let message = try await client.send(.get, "reservations/\(id)/messages")["messages"]?.array?.first
            let messageFields =
                "messageId messageIdString target content messageType timeToLiveMinute createdDateTime "
                + "completedDateTime targetCount sentCount messageStatus"
            #expect(keys(message) == words(messageFields))
            let point = try await client.send(.get, "stats?eventCategory=MESSAGE")["stats"]?.array?.first
            #expect(keys(point) == words("eventDateTime events"))
            #expect(keys(point?["events"]) == words("SENT SENT_FAILED RECEIVED OPENED"))
        }
    }
}
