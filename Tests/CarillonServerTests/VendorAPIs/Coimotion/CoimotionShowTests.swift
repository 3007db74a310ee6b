import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// `twShow/show`: arts events by COIMOTION's calls.
struct CoimotionShowTests {
    private static let day = "2026-11-28"

    private func byCity(
        _ client: CoimotionClient,
        _ city: String = "15",
        _ parameters: [String: JSONValue] = CoimotionFixtures.week
    ) async throws -> CoimotionReply {
        try await client.post("twShow/show/byCity/" + city, parameters)
    }

    @Test("M-45 The kinds have text ids and names, the demo app's nine first and in its order")
    func categories() async throws {
        try await CoimotionClient.run { client async throws in
            let reply = try await client.post("twShow/show/catList")
            #expect(reply.texts("cat").prefix(9) == ["1", "2", "3", "4", "6", "7", "8", "17", "15"])
            #expect(
                reply.texts("name").prefix(9) == [
                    "音樂表演", "戲劇表演", "舞蹈表演", "親子活動", "展覽活動", "講座", "電影", "演唱會", "其它資訊",
                ]
            )
            #expect(Set(reply.texts("cat")).count == reply.list?.count)
        }
    }

    @Test("M-46 City 15 has Kaohsiung's sessions of the kind in the week, and no others")
    func byCity() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            let reply = try await byCity(client)
            #expect(
                reply.texts("spID") == [
                    CoimotionFixtures.spring, CoimotionFixtures.spring, CoimotionFixtures.harbour,
                    CoimotionFixtures.late,
                ]
            )
            #expect(reply.texts("placeName") == ["國立中山大學", "衛武營", "文化中心", "館"])
            // M-69: an event with sessions in two cities is in the lists of both.
            let north = try await byCity(client, "2")
            #expect(Set(north.texts("spID")) == [CoimotionFixtures.spring, CoimotionFixtures.north])
        }
    }

    @Test("M-47 Both days count whole, of the last one its last second too")
    func days() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            func ids(_ first: String?, _ last: String?) async throws -> Set<String> {
                var parameters: [String: JSONValue] = ["cat": "1"]
                parameters["fromTm"] = first.map(JSONValue.string)
                parameters["toTm"] = last.map(JSONValue.string)
                return Set(try await byCity(client, "15", parameters).texts("spID"))
            }
            let (spring, harbour) = (CoimotionFixtures.spring, CoimotionFixtures.harbour)
            #expect(try await ids("2026-12-03", "2026-12-03") == [CoimotionFixtures.late])
            #expect(try await ids("2026-11-28", "2026-11-28") == [spring, harbour])
            #expect(try await ids("2026-11-29", "2026-12-02") == [spring])
            #expect(try await ids("2026-12-04", "2026-12-18") == [])
            #expect(try await ids("2026-12-04", nil) == [spring])
            #expect(try await ids(nil, "2026-11-28") == [spring, harbour])
            #expect(try await ids(nil, nil) == [spring, harbour, CoimotionFixtures.late])
        }
    }

    @Test("M-46 M-47 What began before the first day and still runs is there, by city and by place")
    func running() async throws {
        let session = { (id: String, start: String, end: String) in
            """
            {"UID":"\(id)","title":"T","category":"6","showInfo":[{"time":"\(start)","endTime":"\(end)",
            "location":"高雄市鼓山區","locationName":"\(id)","latitude":"22.6264","longitude":"120.2657"}]}
            """
        }
        let events = [
            session("runs", "2026/10/01 09:00:00", "2027/01/31 17:00:00"),
            session("over", "2026/10/01 09:00:00", "2026/11/27 17:00:00"),
            session("last", "2026/10/01 09:00:00", "2026/11/28 09:00:00"),
            session("open", "2026/10/01 09:00:00", ""), session("later", "2026/11/30 09:00:00", "2026/12/31 17:00:00"),
            session("now", "2026/11/29 09:00:00", ""),
            #"{"UID":"whole","title":"高雄","category":"6","startDate":"2026/10/01","endDate":"2026/12/31","showInfo":[]}"#,
        ]
        try await CoimotionClient.run { client async throws in
            try await client.importEvents("[" + events.joined(separator: ",") + "]")
            let days: [String: JSONValue] = ["fromTm": "2026-11-28", "toTm": "2026-11-29"]
            #expect(try await byCity(client, "15", days).texts("spID") == ["last", "runs", "now"])
            let place = days.merging(["lat": "22.6264", "lng": "120.2657"]) { $1 }
            let near = try await client.post("twShow/show/byLoc", place)
            #expect(Set(near.texts("spID")) == ["last", "runs", "now"])
            let after: [String: JSONValue] = ["fromTm": "2027-02-01"]
            #expect(try await byCity(client, "15", after).list == [])
            #expect(try await byCity(client, "15", ["toTm": "2026-09-30"]).list == [])
        }
    }

    @Test("M-48 There is a row a session, those of an event together, in the order of the events' first sessions")
    func order() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            // Between the two of the first event is the session of the second one.
            let reply = try await byCity(client)
            #expect(
                reply.texts("time") == [
                    "2026-11-28 19:30:00", "2026-12-01 14:00:00", "2026-11-28 20:00:00", "2026-12-03 23:59:59",
                ]
            )
        }
    }

    @Test("M-49 A row has texts alone, empty ones where there is nothing")
    func rows() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            let list = try #require(try await byCity(client).list)
            let names = ["spID", "title", "time", "placeName", "imgURL", "offiURL", "saleURL"]
            for row in list {
                #expect(Set((row.object ?? [:]).keys) == Set(names))
                #expect(names.allSatisfy { row[$0]?.string != nil })
                #expect(row["time"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil)
            }
            #expect(list[0]["imgURL"] == "" && list[0]["saleURL"] == "https://tickets.example.com/1")
            #expect(list[2]["imgURL"]?.string?.hasPrefix("https://") == true)
        }
    }

    @Test("M-50 M-51 An unknown city has no events, a malformed day is an error of the operation")
    func wrongDays() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            for city in ["99", "0", "-1", "x", "16"] {
                let reply = try await byCity(client, city)
                #expect(reply.code == 0 && reply.list == [], "\(city)")
            }
            let malformed: [JSONValue] = [
                "2026-13-01", "2026-02-30", "26-11-2026", "2026/11/26", "20261126", "tomorrow", 7,
            ]
            for day in malformed {
                for name in ["fromTm", "toTm"] {
                    #expect(try await byCity(client, "15", [name: day]).code == 2, "\(day)")
                }
            }
            let backwards: [String: JSONValue] = ["fromTm": "2026-11-28", "toTm": "2026-11-27"]
            #expect(try await byCity(client, "15", backwards).code == 2)
        }
    }

    @Test("M-52 Without a kind there are all kinds")
    func allCategories() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            for parameters in [[:], ["cat": ""], ["cat": .null]] as [[String: JSONValue]] {
                let whole = parameters.merging(["fromTm": .string(Self.day), "toTm": .string(Self.day)]) { $1 }
                #expect(
                    Set(try await byCity(client, "15", whole).texts("spID")) == [
                        CoimotionFixtures.spring, CoimotionFixtures.harbour, CoimotionFixtures.exhibition,
                    ]
                )
            }
        }
    }

    @Test("M-53 Near a place are the sessions within r kilometres, the nearest first, with where they are")
    func byPlace() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            func near(_ parameters: [String: JSONValue]) async throws -> CoimotionReply {
                let place: [String: JSONValue] = ["lat": "22.626400", "lng": "120.265700"]
                return try await client.post("twShow/show/byLoc", place.merging(parameters) { $1 })
            }
            let wide = try await near(["r": "9", "cat": "1"])
            #expect(wide.texts("placeName") == ["國立中山大學", "館", "文化中心", "衛武營"])
            #expect(wide.list?.first?["latitude"] == "22.6264" && wide.list?.first?["longitude"] == "120.2657")
            #expect(try await near(["r": "0.5"]).texts("placeName") == ["國立中山大學"])
            #expect(try await near([:]).texts("placeName") == ["國立中山大學"])
            #expect(try await near(["r": 9, "toTm": "2026-11-28", "cat": "6"]).texts("placeName") == ["美術館"])
            for wrong in [
                ["r": 0], ["r": -1], ["r": "x"], ["r": 201], ["lat": "x"], ["lat": 91], ["lng": 181], ["lat": "nan"],
                ["lat": ""], ["lng": .null],
            ] as [[String: JSONValue]] {
                #expect(try await near(wrong).code == 2, "\(wrong)")
            }
        }
    }

    @Test("M-54 M-55 M-57 An event has all fields and all sessions, whether detail is asked for or not")
    func event() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            let path = "twShow/show/info/" + CoimotionFixtures.spring
            let reply = try await client.post(path, ["detail": "1"])
            #expect(try await client.post(path).body == reply.body)
            // A record has no pages.
            for page in [["_pn": 2], ["_ps": 1], ["_pn": "x"]] as [[String: JSONValue]] {
                #expect(try await client.post(path, page).body == reply.body)
            }
            let value = try #require(reply.value)
            #expect(value["title"] == "春之夜" && value["descTx"] == "" && value["organizer"] == "國立中山大學藝文中心")
            #expect(value["startDate"] == "2026-11-26" && value["endDate"] == "2026-12-20")
            #expect(value["infoSrc"] == "全國藝文活動資訊系統" && value["showOrg"] == "愛樂" && value["imgURL"] == "")
            #expect(value["saleURL"] == "https://tickets.example.com/1" && value["offiURL"] == "")
            let sessions = try #require(value["showInfo"]?.array)
            #expect(
                sessions.first
                    == .object([
                        "time": "2026-11-28 19:30:00", "placeName": "國立中山大學", "addr": "高雄市鼓山區蓮海路70號",
                        "latitude": "22.6264", "longitude": "120.2657", "isFree": 0, "priceInfo": "300",
                    ])
            )
            #expect(sessions.count == 4)
            let last = try #require(sessions.last)
            #expect(last["latitude"] == "" && last["longitude"] == "" && last["isFree"] == 0)
            let free = try await client.post("twShow/show/info/" + CoimotionFixtures.harbour)
            #expect(free.value?["showInfo"]?.array?.first?["isFree"] == 1)
            #expect(free.value?["showInfo"]?.array?.first?["priceInfo"] == "免費")
        }
    }

    @Test("M-54 An event without sessions has one, so that an old app finds its first")
    func withoutSessions() async throws {
        try await CoimotionClient.run { client async throws in
            let file = #"[{"UID":"e1","title":"無場次","category":"1","startDate":"2026/11/28","endDate":"2026/11/28"}]"#
            try await client.importEvents(file)
            let value = try #require(try await client.post("twShow/show/info/e1").value)
            #expect(value["showInfo"]?.array?.count == 1)
            #expect(value["showInfo"]?.array?.first?["time"] == "2026-11-28 00:00:00")
            #expect(value["showInfo"]?.array?.first?["addr"] == "")
        }
    }

    @Test("M-56 An unknown event is errCode 1")
    func unknownEvent() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            for id in ["nothing", String(repeating: "x", count: 201), "%E6%98%A5"] {
                #expect(try await client.post("twShow/show/info/" + id).code == 1)
            }
        }
    }

    @Test("A page is asked for by _pn and _ps, and has the total; without them all rows come")
    func pages() async throws {
        try await CoimotionClient.run { client async throws in
            let events = (1...23).map { number in
                """
                {"UID":"e\(number + 100)","title":"T","category":"1","showInfo":[{"time":"2026/11/28 10:00:00",
                "location":"高雄市","locationName":"P"}]}
                """
            }
            try await client.importEvents("[" + events.joined(separator: ",") + "]")
            let all = try await byCity(client)
            #expect(all.list?.count == 23 && all.value?["total"] == nil)
            let first = try await byCity(client, "15", ["_pn": "1"])
            #expect(first.texts("spID") == Array(all.texts("spID").prefix(10)) && first.value?["total"] == 23)
            let third = try await byCity(client, "15", ["_pn": 3, "_ps": 8])
            #expect(third.texts("spID") == Array(all.texts("spID").suffix(7)) && third.value?["total"] == 23)
            #expect(try await byCity(client, "15", ["_pn": 4, "_ps": 8]).list == [])
            for (name, wrong) in [("_pn", 0), ("_ps", 0), ("_ps", 201), ("_pn", "x"), ("_pn", 1_000_000)]
                as [(String, JSONValue)]
            {
                #expect(try await byCity(client, "15", [name: wrong]).code == 2, "\(name) \(wrong)")
            }
        }
    }
}
