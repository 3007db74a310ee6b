import CarillonModel
import Testing

@testable import CarillonContentSets

/// Events of the Ministry of Culture.
struct CultureTests {
    private let definition: ContentSetDefinition

    init() throws { definition = try #require(.preset("culture")) }

    private func event(_ uid: String, _ members: String, sessions: String = "[]") -> String {
        """
        {"version":"1.4","UID":"\(uid)","title":" 音樂會 ","category":"1","showInfo":\(sessions),\(members)
        "startDate":"2026/11/26","endDate":"2026/11/30","hitRate":3}
        """
    }

    private func events(_ list: [String]) throws -> (rows: [JSONValue], report: ContentFileReport) {
        let file = try read("[" + list.joined(separator: ",\n") + "]", .culture, definition)
        return (try file.documents("events", of: definition), file.report)
    }

    @Test("M-67 Events import: slashes of dates become hyphens, times are instants") func dates() throws {
        let session = #"""
            {"time":"2026/11/26 19:30:00","endTime":"2026/11/26 21:00:00","location":"高雄市苓雅區五福一路67號",
             "locationName":"音樂館","onSales":"Y","price":"300","latitude":"22.626400","longitude":"120.317300"}
            """#
        let (rows, report) = try events([event("a1", "", sessions: "[\(session)]")])

        let row = try #require(rows.first)
        #expect(rows.count == 1)
        #expect(row["startDate"] == "2026-11-26")
        #expect(row["endDate"] == "2026-11-30")
        #expect(row["startsAt"] == "2026-11-26T11:30:00.000Z")
        #expect(row["title"] == "音樂會")
        #expect(row["event"] == "a1")
        #expect(row["position"]?["latitude"]?.number == 22.6264)
        #expect((report.read, report.skipped) == (1, 0))
    }

    @Test(
        "M-68 An organizer may be a text, null or an array",
        arguments: [
            (#""masterUnit":"文化局","#, "文化局"), (#""masterUnit":null,"#, nil), (#""masterUnit":["甲","乙"],"#, "甲、乙"),
            (#""masterUnit":[],"#, nil),
        ]
    )
    func organizers(_ members: String, _ expected: String?) throws {
        #expect(try events([event("a", members)]).rows.first?["organizer"]?.string == expected)
    }

    @Test("M-68 Coordinates that are null, empty or 0 are none", arguments: ["null", "\"\"", "\"0\"", "0"])
    func coordinates(_ value: String) throws {
        let session = #"{"time":"2026/11/26 19:30:00","latitude":\#(value),"longitude":\#(value)}"#
        let row = try #require(try events([event("a", "", sessions: "[\(session)]")]).rows.first)
        #expect(row["position"] == nil)
        #expect(row["startsAt"] != nil)
    }

    @Test("M-68 A price loses its HTML") func price() throws {
        let session = #"{"time":"2026/11/26 19:30:00","price":"<p>全票&nbsp;300<br/>a &lt; b &#65;</p>","onSales":"Y"}"#
        let row = try #require(try events([event("a", "", sessions: "[\(session)]")]).rows.first)
        #expect(row["price"] == "全票 300\na < b A")
    }

    @Test(
        "M-68 Addresses of pictures become absolute, and a doubled host is single",
        arguments: [
            ("/e_new_upload/1.jpg", "https://cloud.culture.tw/e_new_upload/1.jpg"),
            ("https://cloud.culture.tw/https://cloud.culture.tw/1.jpg", "https://cloud.culture.tw/1.jpg"),
            ("https://example.tw/a?u=http://b", "https://example.tw/a?u=http://b"),
            ("//a.tw/1.jpg", "https://a.tw/1.jpg"),
        ]
    )
    func pictures(_ written: String, _ expected: String) throws {
        #expect(try events([event("a", "\"imageUrl\":\"\(written)\",")]).rows.first?["image"]?.string == expected)
    }

    @Test("M-68 Only addresses of pictures are made absolute") func otherAddresses() throws {
        let read = try events([event("a", #""webSales":"/buy","sourceWebPromote":"https://example.tw/a","#)])
        #expect(read.rows.first?["ticketURL"] == nil)
        #expect(read.rows.first?["officialURL"] == "https://example.tw/a")
        #expect(read.report.invalidValues == ["ticketURL": 1])
    }

    @Test("M-68 An event without sessions has one, from its first day through its last") func withoutSessions() throws {
        let row = try #require(try events([event("a", "")]).rows.first)
        #expect(row["startsAt"] == "2026-11-25T16:00:00.000Z")
        #expect(row["endsAt"] == "2026-11-30T15:59:59.000Z")
        #expect(row["session"]?.integer == 0)
    }

    @Test("M-68 Dates of an event that are exchanged are put in order") func exchangedDates() throws {
        let text = event("a", "").replacing("2026/11/26", with: "2026/12/24")
        let row = try #require(try events([text]).rows.first)
        #expect((row["startDate"], row["endDate"]) == ("2026-11-30", "2026-12-24"))
    }

    @Test(
        "M-69 The city of an address",
        arguments: [
            ("臺北市中正區", "台北市"), ("台北市中正區", "台北市"), ("802 高雄市苓雅區", "高雄市"), ("高雄縣鳳山市", "高雄市"),
            ("台灣台中市", "台中市"), ("高雄苓雅", "高雄市"), ("新竹", nil), ("東京都", nil), ("", nil),
        ]
    )
    func cities(_ address: String, _ expected: String?) {
        #expect(TaiwanCity.name(address) == expected)
    }

    @Test("M-69 An event with sessions in two cities has rows in both") func twoCities() throws {
        let sessions = #"""
            [{"time":"2026/11/26 19:30:00","location":"臺北市中正區"},{"time":"2026/11/27 19:30:00","location":"高雄市前金區"}]
            """#
        let rows = try events([event("a", "", sessions: sessions)]).rows
        #expect(rows.map { $0["city"]?.string } == ["台北市", "高雄市"])
        #expect(Set(rows.map { $0["event"]?.string }) == ["a"])
    }

    @Test("M-48 Sessions of an event are together, ordered by the time of the first one") func order() throws {
        let late = #"[{"time":"2026/12/20 19:30:00"},{"time":"2026/12/01 19:30:00"}]"#
        let early = #"[{"time":"2026/12/05 19:30:00"},{"time":"2026/12/10 19:30:00"}]"#
        let rows = try events([event("b", "", sessions: early), event("a", "", sessions: late)]).rows
        #expect(rows.map { $0["event"]?.string } == ["a", "a", "b", "b"])
        #expect(rows.first?["startsAt"] == "2026-12-01T11:30:00.000Z")
    }

    @Test("M-70 An event whose UID came before is skipped as a whole, and counted once") func repeatedEvent() throws {
        let sessions = #"[{"time":"2026/11/26 19:30:00"},{"time":"2026/11/27 19:30:00"}]"#
        let repeated = event("a", "", sessions: sessions)
        let (rows, report) = try events([repeated, repeated, repeated])
        #expect(rows.count == 2)
        #expect((report.read, report.skipped) == (3, 2) && report.problems.count == 2)
    }

    @Test("M-70 An event of which no session can be a row is counted once") func refusedSessions() throws {
        let sessions = #"[{"time":"2026/11/26 19:30:00"},{"time":"2026/11/27 19:30:00"},{}]"#
        // The title has one control character, and is empty without it.
        let untitled = event("b", "", sessions: sessions).replacing("音樂會", with: #"\u0001"#)
        let (rows, report) = try events([event("a", ""), untitled])
        #expect(rows.count == 1)
        #expect((report.read, report.skipped) == (2, 1) && report.problems.count == 3)
    }

    @Test("M-70 A broken record does not end the import, and is counted") func brokenRecords() throws {
        let file = """
            [\(event("a", "")),
            {"UID":"b","title":"x","showInfo":[},
            {"title":"no id"},
            \(event("c", ""))]
            """
        let read = try read(file, .culture, definition)
        #expect(read.tables["events"]?.count == 2)
        #expect((read.report.read, read.report.skipped) == (4, 2))
        #expect(read.report.problems.count == 2)
    }

    @Test(
        "M-57 What costs nothing is free",
        arguments: [
            ("", false, true), ("", true, false), ("300", false, false), ("免費入場", true, true), ("0", true, true),
        ]
    )
    func free(_ price: String, _ isSold: Bool, _ expected: Bool) {
        #expect(CultureText.isFree(price: price, isSold: isSold) == expected)
    }
}
