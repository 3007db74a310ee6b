import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// `twCtBus`: city buses by COIMOTION's calls.
struct CoimotionBusTests {
    private static let here: [String: JSONValue] = ["lat": "22.626400", "lng": "120.265700"]

    private func stops(
        _ client: CoimotionClient,
        _ parameters: [String: JSONValue] = Self.here
    ) async throws -> CoimotionReply {
        try await client.post("twCtBus/busStop/search", parameters)
    }

    /// An estimate of TDX for the second stop on the way out.
    private static func estimate(_ seconds: Int) -> String {
        #"[{"StopUID":"KHH2","RouteUID":"KHH100","Direction":0,"EstimateTime":\#(seconds),"StopStatus":0}]"#
    }

    private func next(_ client: CoimotionClient, _ route: String = "KHH100") async throws -> CoimotionReply {
        try await client.post("twCtBus/busRoute/next/" + route)
    }

    @Test("M-58 Stops are those within the radius, the nearest first; the App has a radius and a number")
    func search() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importBuses()
            let reply = try await stops(client)
            #expect(
                reply.list?.first
                    == .object([
                        "tsID": "KHH1", "stName": "中山大學", "stCode": "2101", "latitude": "22.6265",
                        "longitude": "120.266",
                    ])
            )
            #expect(reply.texts("tsID") == ["KHH1", "KHH2"])
            // A stop without a code shows its id.
            #expect(reply.texts("stCode") == ["2101", "KHH2"])
            #expect(try await stops(client, Self.here.merging(["r": "0.1"]) { $1 }).texts("tsID") == ["KHH1"])
            #expect(try await stops(client, Self.here.merging(["r": 100]) { $1 }).list?.count == 4)
        }
        let settings = CoimotionSettings(
            code: CoimotionClient.code,
            contentSets: .init(twCtBus: "buses"),
            stopRadius: 2_000,
            stopLimit: 2
        )
        try await CoimotionClient.run(settings) { client async throws in
            try await client.importBuses()
            #expect(try await stops(client, ["lat": "22.6215", "lng": "120.2745"]).texts("tsID") == ["KHH3", "KHH2"])
        }
    }

    @Test("M-59 A place is a text or a number; without one, or with another thing, it is an error of the operation")
    func places() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importBuses()
            let numbers = JSONValue.number(22.6264)
            #expect(try await stops(client, ["lat": numbers, "lng": .number(120.2657)]).body == stops(client).body)
            for wrong in [
                ["lat": "22.6"], ["lng": "120.2"], [:], ["lat": "", "lng": ""], ["lat": "a", "lng": "b"],
                ["lat": "91", "lng": "0"], ["lat": "0", "lng": "-181"], ["lat": .null, "lng": 1],
                ["lat": "inf", "lng": "1"], ["lat": [22], "lng": [120]],
            ] as [[String: JSONValue]] {
                #expect(try await stops(client, wrong).code == 2, "\(wrong)")
            }
        }
    }

    @Test("M-60 Where there is no stop the list is empty")
    func nowhere() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importBuses()
            for (latitude, longitude) in [(0, 0), (90, 180), (-90, -180)] as [(JSONValue, JSONValue)] {
                let reply = try await stops(client, ["lat": latitude, "lng": longitude])
                #expect(reply.code == 0 && reply.list == [])
            }
        }
    }

    @Test("M-61 M-62 A stop has each of its routes once; an unknown stop is errCode 1")
    func routes() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importBuses()
            let reply = try await client.post("twCtBus/busStop/routes/KHH1")
            #expect(
                reply.list == [
                    .object(["brID": "KHH88", "rtName": "88", "descTx": ""]),
                    .object(["brID": "KHH100", "rtName": "橘9", "descTx": "捷運衛武營站－林園區公所"]),
                ]
            )
            #expect(try await client.post("twCtBus/busStop/routes/KHH4").list == [])
            #expect(try await client.post("twCtBus/busStop/routes/KHH9").code == 1)
            #expect(try await client.post("twCtBus/busStop/routes/" + String(repeating: "x", count: 300)).code == 1)
        }
    }

    @Test("M-63 M-64 Arrivals go out and then back, by Taipei's clock; where none comes there is no time")
    func arrivals() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importBuses()
            let reply = try await next(client)
            #expect(
                reply.list == [
                    .object(["stName": "中山大學", "arvTime": "16:50", "isInBd": "0"]),
                    .object(["stName": "哨船頭", "arvTime": "16:55", "isInBd": "0"]),
                    .object(["stName": "西子灣站", "arvTime": "17:00", "isInBd": "0"]),
                    .object(["stName": "西子灣站", "arvTime": "17:10", "isInBd": "1"]),
                    .object(["stName": "哨船頭", "arvTime": "17:15", "isInBd": "1"]),
                    .object(["stName": "中山大學", "isInBd": "1"]),
                ]
            )
            // A route without a timetable has no arrivals; an unknown one is errCode 1.
            #expect(try await next(client, "KHH88").list == [])
            #expect(try await next(client, "KHH9").code == 1)
            #expect(try await next(client, String(repeating: "x", count: 300)).code == 1)
        }
    }

    @Test("M-65 M-66 What vehicles tell is in the next answer, and no longer when it is old")
    func realtime() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importBuses()
            func second() async throws -> JSONValue? { try await next(client).list?[1]["arvTime"] }
            #expect(try await second() == "16:55")
            try await client.tell(Self.estimate(120))
            #expect(try await second() == "16:46")
            client.server.clock.advance(byMilliseconds: 60_000)
            try await client.tell(Self.estimate(240))
            #expect(try await second() == "16:49")
            client.server.clock.advance(byMilliseconds: 301_000)
            // It is 16:50:01: the timetable's next bus is at this stop at 16:55.
            #expect(try await second() == "16:55")
        }
    }
}
