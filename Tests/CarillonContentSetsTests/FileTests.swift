import CarillonModel
import Foundation
import Testing

@testable import CarillonContentSets

/// Tables, objects and GeoJSON of any set.
struct FileTests {
    private let definition = ContentSetDefinition(
        title: "Cafés",
        tables: [
            ContentTable(
                "places",
                key: "id",
                order: ["name"],
                [
                    ContentField("id", .text), ContentField("name", .text, isRequired: true, isSearchable: true),
                    ContentField("seats", .integer, isIndexed: true), ContentField("at", .position),
                    ContentField("opened", .time), ContentField("tags", .list, isIndexed: true),
                ]
            )
        ]
    )

    private func rows(_ text: String, _ format: ContentFormat) throws -> [JSONValue] {
        try read(text, format, definition).documents("places", of: definition)
    }

    @Test("A table's columns come in any order and case, rows in the order of the definition") func csv() throws {
        let text = "\u{FEFF}Name,ID,latitude,LONGITUDE,Tags,other\r\nB,2,22.6,120.3,a;b,x\r\n\"A, \"\"x\"\"\",1,,,,\r\n"
        let rows = try rows(text, .csv)
        #expect(rows.map { $0["name"]?.string } == ["A, \"x\"", "B"])
        #expect(rows[1]["at"] == .object(["latitude": .number(22.6), "longitude": .number(120.3)]))
        #expect(rows[1]["tags"] == .array(["a", "b"]))
        #expect(rows[0]["at"] == nil)
    }

    @Test("A record without a key, without a required value or with a known key is skipped") func skipped() throws {
        let file = try read("id,name,seats\n1,A,3\n,B,\n2,,\n1,C,\n3,D,many\n", .csv, definition)
        #expect(file.tables["places"]?.map(\.key) == ["1", "3"])
        #expect((file.report.read, file.report.skipped) == (5, 3))
        #expect(
            file.report.problems == [
                "line 3 id is missing", "line 4 name is missing", "line 5 has the key of an earlier record",
            ]
        )
        #expect(file.report.invalidValues == ["seats": 1])
    }

    @Test("Texts of a list stand between semicolons or bars, also those of Chinese texts") func lists() throws {
        let rows = try rows("id,name,tags\n1,A,a;b|c；d｜e、f\n", .csv)
        #expect(rows[0]["tags"] == .array(["a", "b", "c", "d", "e、f"]))
    }

    @Test("A problem of a file of one line names the record") func oneLine() throws {
        let file = try read(#"[{"id":"1","name":"A"},{"name":"B"},{"id":"3","name":"C"},{"id":}]"#, .json, definition)
        #expect(file.report.problems == ["record 2 (line 1) id is missing", "record 4 (line 1) is no object of JSON"])
    }

    @Test(
        "Objects in an array, in lines, and in an array of an object",
        arguments: [
            #"[{"id":"1","name":"A"},{"id":2,"name":"B"}]"#,
            "{\"id\":\"1\",\"name\":\"A\"}\n{\"id\":2,\"name\":\"B\"}\n",
            #"{"count":2,"data":[{"id":"1","name":"A"},{"id":2,"name":"B"}]}"#,
        ]
    )
    func objects(_ text: String) throws {
        #expect(try rows(text, .json).map { $0["id"]?.string } == ["1", "2"])
    }

    @Test("A column of JSON may be a path") func paths() throws {
        var definition = definition
        definition.tables[0].fields[1].columns = ["title.zh"]
        definition.tables[0].fields[3].columns = ["geo.lat", "geo.lon"]
        let file = try read(#"[{"id":"1","title":{"zh":"甲"},"geo":{"lat":"1.5","lon":2}}]"#, .json, definition)
        let row = try #require(try file.documents("places", of: definition).first)
        #expect(row["name"] == "甲")
        #expect(row["at"]?["latitude"]?.number == 1.5)
    }

    @Test("Features of GeoJSON: a point, and the middle of other geometries") func geoJSON() throws {
        let text = #"""
            {"type":"FeatureCollection","features":[
            {"type":"Feature","id":"1","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[120.5,22.5]}},
            {"type":"Feature","id":"2","properties":{"name":"B"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,4],[0,0]]]}},
            {"type":"Feature","id":"3","properties":{"name":"C"},"geometry":null},
            {"type":"Feature","id":"4","properties":{"name":"D"},"geometry":{"type":"Point","coordinates":[500,0]}},
            {"type":"Other"}]}
            """#
        let file = try read(text, .geojson, definition)
        let places = try file.documents("places", of: definition).map { $0["at"]?["latitude"]?.number }
        #expect(places == [22.5, 2, nil, nil])
        #expect(file.report.skipped == 1)
        #expect(file.report.invalidValues == ["at": 1])
    }

    @Test("Broken UTF-8 in a row is skipped") func brokenText() throws {
        let bytes = Array("id,name\n1,".utf8) + [0xFF, 0xFE] + Array("\n2,B\n".utf8)
        let file = try ContentFile(bytes, .csv, for: definition)
        #expect(file.tables["places"]?.map(\.key) == ["2"])
        #expect(file.report.problems == ["line 2 is not in UTF-8"])
    }

    @Test("A file that is too large ends with the limit") func limits() {
        var limits = ContentFile.Limits()
        limits.fileSize = 20
        let text = "id,name\n1,A\n2,B\n3,C\n4,D\n5,E\n"
        #expect(throws: ContentFileProblem("has more than 20 bytes")) {
            try ContentFile(Array(text.utf8), .csv, for: definition, limits: limits)
        }
        limits = .init()
        limits.textSize = 20
        #expect(throws: ContentFileProblem("has more than 20 bytes of text")) {
            try ContentFile(Array(text.utf8), .csv, for: definition, limits: limits)
        }
        limits = .init()
        limits.rowCount = 3
        #expect(throws: ContentFileProblem("has more than 3 records for a table")) {
            try ContentFile(Array(text.utf8), .csv, for: definition, limits: limits)
        }
        limits = .init()
        limits.valueSize = 100
        #expect(throws: ContentFileProblem("has more than 100 bytes of values")) {
            try ContentFile(Array(text.utf8), .csv, for: definition, limits: limits)
        }
    }

    @Test("A column of many bytes ends as a skipped row") func longColumn() throws {
        let text = "id,name\n1,\"" + String(repeating: "x", count: 300_000) + "\"\n2,B\n"
        let file = try read(text, .csv, definition)
        #expect(file.tables["places"]?.map(\.key) == ["2"])
        #expect(file.report.skipped == 1)
    }

    @Test(
        "What is no file of the format is refused",
        arguments: [
            ("", ContentFormat.csv), ("", .json), ("x", .gtfs), ("PK\u{3}\u{4}", .gtfs), ("PK\u{3}\u{4}", .csv),
            ("[]", .json),
            ("a,b\n1,2\n", .csv),
        ]
    )
    func otherFiles(_ text: String, _ format: ContentFormat) throws {
        let definition = format == .gtfs ? try #require(ContentSetDefinition.preset("transit")) : definition
        #expect(throws: ContentFileProblem.self) { try read(text, format, definition) }
    }

    @Test(
        "Times of files",
        arguments: [
            ("2026-11-26T12:00:00Z", "2026-11-26T12:00:00.000Z"), ("2026-11-26 12:00", "2026-11-26T04:00:00.000Z"),
            ("2026/11/26 12:00:01", "2026-11-26T04:00:01.000Z"), ("20261126", "2026-11-25T16:00:00.000Z"),
            ("2026/1/2", "2026-01-01T16:00:00.000Z"), ("2026-02-30", nil), ("12:00", nil), ("2026-11-26 25:00", nil),
            ("", nil), ("1969-01-01", nil),
        ]
    )
    func times(_ text: String, _ expected: String?) throws {
        let zone = try #require(TimeZone(identifier: "Asia/Taipei"))
        #expect(LocalTime.instant(text, in: zone)?.description == expected)
    }

    @Test("A clock that a day does not have moves forward, one that it has twice is the first") func clockChanges()
        throws
    {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(LocalTime.instant("2026-03-29 02:30", in: zone)?.description == "2026-03-29T01:30:00.000Z")
        #expect(LocalTime.instant("2026-10-25 02:30", in: zone)?.description == "2026-10-25T00:30:00.000Z")
    }

    @Test("A column may have dots in its name, as may a member of an object") func dottedColumns() throws {
        var name = ContentField("name", .text)
        name.columns = ["place.name"]
        var city = ContentField("city", .text)
        city.columns = ["a..b."]
        let table = ContentTable("places", key: "id", [ContentField("id", .text), name, city])
        let definition = ContentSetDefinition(title: "P", tables: [table])
        let csv = try read("id,place.name,a..b.\n1,A,B\n", .csv, definition)
        #expect(csv.tables["places"]?.first?.values == [.text("1"), .text("A"), .text("B")])
        let json = #"[{"id":"1","place.name":"A","a..b.":"B"},{"id":"2","place":{"name":"C"},"a":{"":{"b":{"":"D"}}}}]"#
        let rows = try read(json, .json, definition).tables["places"]
        #expect(
            rows?.map(\.values) == [
                [.text("1"), .text("A"), .text("B")], [.text("2"), .text("C"), .text("D")],
            ]
        )
    }
}
