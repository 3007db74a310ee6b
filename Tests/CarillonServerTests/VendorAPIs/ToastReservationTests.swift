import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// Reservations through TOAST Push's API; it is 2026-11-21T17:44 in Korea.
struct ToastReservationTests {
    private func body(_ times: [String], isLocal: Bool = false, _ changes: [String: JSONValue?] = [:]) -> String {
        let own: [String: JSONValue?] = [
            "schedules": .array(times.map(JSONValue.string)), "isLocalTime": .bool(isLocal),
        ]
        return ToastMessageTests.body(own.merging(changes) { $1 })
    }

    private func create(_ client: ToastClient, _ body: String) async throws -> Int64 {
        let reply = try await client.send(.post, "reservations", body)
        let reservation = try #require(reply["reservation"], "\(reply.body)")
        let id = try #require(reservation["reservationId"]?.integer)
        #expect(reservation["reservationIdString"] == .string("\(id)"))
        return id
    }

    @Test("T-66 daily, weekly and monthly recurrences become times; day 31 skips short months")
    func expands() async throws {
        try await ToastClient.run { client async throws in
            func times(_ body: String) async throws -> [String] {
                let reply = try await client.send(.post, "schedules", body)
                #expect(reply.code == 0, "\(reply.body)")
                return reply["schedules"]?.array?.compactMap(\.string) ?? []
            }
            let daily = #"{"type":"EVERY_DAY","fromDate":"2026-11-22","toDate":"2026-11-23","times":["18:00","09:00"]}"#
            #expect(
                try await times(daily) == [
                    "2026-11-22T09:00", "2026-11-22T18:00", "2026-11-23T09:00", "2026-11-23T18:00",
                ]
            )
            let weekly =
                #"{"type":"EVERY_WEEK","fromDate":"2026-11-22","toDate":"2026-12-05","times":["09:00"],"#
                + #""daysOfWeek":["MONDAY","SUNDAY"]}"#
            #expect(
                try await times(weekly) == [
                    "2026-11-22T09:00", "2026-11-23T09:00", "2026-11-29T09:00", "2026-11-30T09:00",
                ]
            )
            let monthly =
                #"{"type":"EVERY_MONTH","fromDate":"2026-11-22","toDate":"2027-01-20","times":["09:00"],"days":[31,1]}"#
            #expect(try await times(monthly) == ["2026-12-01T09:00", "2026-12-31T09:00", "2027-01-01T09:00"])
            for (body, code) in [
                (#"{"type":"ONCE","fromDate":"2026-11-22","toDate":"2026-11-23","times":["09:00"]}"#, 40001),
                (#"{"type":"EVERY_DAY","fromDate":"2026-11-22","toDate":"2026-11-23"}"#, 40003),
                (#"{"type":"EVERY_DAY","fromDate":"today","toDate":"2026-11-23","times":["09:00"]}"#, 40002),
                (#"{"type":"EVERY_DAY","fromDate":"2026-11-23","toDate":"2026-11-22","times":["09:00"]}"#, 40001),
                (#"{"type":"EVERY_DAY","fromDate":"2026-11-23","toDate":"2027-01-21","times":["09:00"]}"#, 40001),
                (#"{"type":"EVERY_WEEK","fromDate":"2026-11-22","toDate":"2026-11-23","times":["09:00"]}"#, 40003),
            ] as [(String, Int64)] {
                #expect(try await client.send(.post, "schedules", body).code == code, "\(body)")
            }
        }
    }

    @Test("T-67 a time more than sixty days ahead is refused, day 60 at 23:59 is accepted")
    func horizon() async throws {
        try await ToastClient.run { client async throws in
            let id = try await create(client, body(["2027-01-20T23:59"]))
            let path = "reservations/\(id)"
            for (method, path) in [(HTTPRequest.Method.post, "reservations"), (.put, path)] {
                let late = try await client.send(method, path, body(["2027-01-21T00:00"]))
                #expect(late.code == 40001 && late.message.contains("schedules<"), "\(late.message)")
            }
            for (day, code) in [("2027-01-20", 0), ("2027-01-21", 40001)] as [(String, Int64)] {
                let daily = #"{"type":"EVERY_DAY","fromDate":"2027-01-20","toDate":"\#(day)","times":["23:59"]}"#
                #expect(try await client.send(.post, "schedules", daily).code == code, "\(day)")
            }
            #expect(try await client.send(.post, "reservations", body(["2026-11-21T09:00"])).code == 40001)
            #expect(try await client.send(.post, "reservations", body([])).code == 40003)
            #expect(try await client.send(.post, "reservations", body(["soon"])).code == 40002)
            let missing = ToastMessageTests.body(["schedules": ["2026-12-01T09:00"]])
            #expect(try await client.send(.post, "reservations", missing).code == 40003)
        }
    }

    @Test("T-68 T-70 a reservation is shown with its whole schedule, and filtered by state and times")
    func lists() async throws {
        try await ToastClient.run { client async throws in
            let id = try await create(client, body(["2026-12-01T09:00", "2026-12-24T09:00"]))
            let shown = try #require(try await client.send(.get, "reservations/\(id)")["reservation"])
            #expect(shown["reservationStatus"] == "RESERVED" && shown["isLocalTime"] == false)
            let schedules = shown["schedules"]?.array ?? []
            #expect(
                schedules.compactMap { $0["deliveryDateTime"] } == [
                    "2026-12-01T09:00:00.000+09:00", "2026-12-24T09:00:00.000+09:00",
                ]
            )
            #expect(schedules.allSatisfy { $0["scheduleStatus"] == "READY" && $0["reservationId"] == .integer(id) })

            func found(_ query: String) async throws -> [JSONValue] {
                let reply = try await client.send(.get, "reservations?" + query)
                #expect(reply.code == 0, "\(reply.body)")
                return reply["reservations"]?.array ?? []
            }
            #expect(try await found("").count == 1)
            #expect(try await found("reservationStatus=RESERVED").count == 1)
            #expect(try await found("reservationStatus=COMPLETE") == [])
            let december = "deliveryFrom=2026-12-20T00:00:00.000%2B09:00&deliveryTo=2026-12-31T00:00:00.000%2B09:00"
            #expect(try await found(december).first?["schedules"]?.array?.count == 2)
            #expect(try await found("deliveryFrom=2026-12-25T00:00:00.000%2B09:00") == [])
            #expect(try await found("to=2026-11-20T00:00:00.000%2B09:00") == [])
            #expect(try await found("deliveryTo=2026-11-30T23:59:59.999%2B09:00") == [])
            #expect(try await found("deliveryTo=2026-12-01T09:00:00.000%2B09:00").count == 1)
            client.server.clock.advance(byMilliseconds: 120_000)
            #expect(try await found("from=2026-11-21T17:44:00.000%2B09:00").count == 1)
            #expect(try await found("from=2026-11-21T17:45:00.000%2B09:00") == [])
            // An instant message is no reservation.
            let message = try await client.send(.post, "messages", ToastMessageTests.body())
            let number = message["message"]?["messageId"]?.integer ?? 0
            #expect(try await client.send(.get, "reservations/\(number)").code == 40401)
        }
    }

    @Test("T-69 local time: Seoul and London get it at the same time of their clocks, nine hours apart, once each")
    func localTime() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-seoul", ["timezoneId": "Asia/Seoul"])
            try await client.register(2, uid: "u-london", ["timezoneId": "Europe/London"])
            let id = CampaignID(rawValue: try await create(client, body(["2026-12-01T09:00"], isLocal: true)))
            let server = client.server
            // The first zone's nine o'clock, then Seoul's, then London's.
            server.clock.advance(byMilliseconds: 814_560_000)
            try await server.begin(id, app: client.app)
            let campaign = try await server.engine.campaigns.campaign(id, within: client.app)
            let occurrence = try #require(campaign.occurrence)
            func sent() async throws -> [String: JSONValue] {
                var times: [String: JSONValue] = [:]
                for user in ["u-seoul", "u-london"] {
                    let query = "logs/message?messageId=\(occurrence.rawValue)&uid=\(user)"
                    let logs = try await client.send(.get, query)["data"]?["logs"]?.array ?? []
                    #expect(logs.count <= 1)
                    times[user] = logs.first?["sendTime"]
                }
                return times
            }
            try await server.deliver(occurrence, app: client.app)
            #expect(try await sent() == [:])

            server.clock.advance(byMilliseconds: 18_000_000)
            try await server.deliver(occurrence, app: client.app)
            #expect(try await sent() == ["u-seoul": "2026-12-01T09:00:00.000+09:00"])

            server.clock.advance(byMilliseconds: 32_400_000)
            try await server.deliver(occurrence, app: client.app)
            let both: [String: JSONValue] = [
                "u-seoul": "2026-12-01T09:00:00.000+09:00", "u-london": "2026-12-01T18:00:00.000+09:00",
            ]
            #expect(try await sent() == both)
        }
    }

    @Test("E8 lists what reservations have sent, each message once")
    func listsSentMessages() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-1")
            let id = CampaignID(rawValue: try await create(client, body(["2026-11-21T18:00", "2026-12-24T09:00"])))
            #expect(try await client.send(.get, "messages")["totalCount"] == .integer(0))
            client.server.clock.advance(byMilliseconds: 3_600_000)
            try await client.server.begin(id, app: client.app)
            _ = try await client.send(.post, "messages", ToastMessageTests.body())

            let campaign = try await client.server.engine.campaigns.campaign(id, within: client.app)
            let number = try #require(campaign.occurrence?.rawValue)
            let all = try await client.send(.get, "messages")
            #expect(all["totalCount"] == .integer(2))
            for (type, expected) in [("RESERVATION", [JSONValue.integer(number)]), ("INSTANT", [])] {
                let found = try await client.send(.get, "messages?deliveryType=\(type)")
                let numbers = found["messages"]?.array?.compactMap { $0["messageId"] } ?? []
                #expect(expected.isEmpty ? numbers.count == 1 : numbers == expected, "\(type)")
            }
            let shown = try await client.send(.get, "reservations/\(id.rawValue)")["reservation"]
            #expect(shown?["completedDateTime"] == .null)
        }
    }

    @Test("T-71 a replaced reservation keeps its time of creation")
    func replaces() async throws {
        try await ToastClient.run { client async throws in
            let id = try await create(client, body(["2026-12-01T09:00"]))
            client.server.clock.advance(byMilliseconds: 60_000)
            let content = JSONValue.object(["default": .object(["body": "New"])])
            let reply = try await client.send(
                .put,
                "reservations/\(id)",
                body(["2026-12-02T10:00"], ["content": content])
            )
            #expect(reply.code == 0, "\(reply.body)")

            let shown = try #require(try await client.send(.get, "reservations/\(id)")["reservation"])
            #expect(shown["createdDateTime"] == "2026-11-21T17:44:00.000+09:00")
            #expect(shown["updatedDateTime"] == "2026-11-21T17:45:00.000+09:00")
            #expect(shown["content"]?["default"] == .object(["body": "New"]))
            #expect(
                shown["schedules"]?.array?.compactMap { $0["deliveryDateTime"] } == ["2026-12-02T10:00:00.000+09:00"]
            )
        }
    }

    @Test("T-72 an unsent reservation is removed")
    func removes() async throws {
        try await ToastClient.run { client async throws in
            let ids = [
                try await create(client, body(["2026-12-01T09:00"])),
                try await create(client, body(["2026-12-01T09:00"])),
            ]
            let list = ids.map(String.init).joined(separator: ",")
            #expect(try await client.send(.delete, "reservations?reservationIds=\(list),5").code == 40401)
            #expect(try await client.send(.get, "reservations")["totalCount"] == .integer(2))
            #expect(try await client.send(.delete, "reservations?reservationIds=\(list)").code == 0)
            #expect(try await client.send(.get, "reservations")["totalCount"] == .integer(0))
            #expect(try await client.send(.get, "reservations/\(ids[0])").code == 40401)
            #expect(try await client.send(.delete, "reservations").code == 40003)
        }
    }
}
