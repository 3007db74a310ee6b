import CarillonModel
import Foundation
import Testing

@testable import CarillonContentSets

/// Files and rows that were made to crash or to stop the server: each ends with a clear report.
@Suite(.timeLimit(.minutes(2)))
struct HostileFileTests {
    private static let places = ContentSetDefinition(
        title: "P",
        tables: [
            ContentTable(
                "places",
                key: "id",
                [
                    ContentField("id", .text), ContentField("name", .text), ContentField("at", .position),
                    ContentField("link", .url),
                ]
            )
        ]
    )

    private func problem(_ bytes: [UInt8], _ format: ContentFormat) throws -> String? {
        let preset = format == .culture ? "culture" : "transit"
        let definition = format.fillsOneTable ? Self.places : try #require(ContentSetDefinition.preset(preset))
        do throws(ContentFileProblem) {
            _ = try ContentFile(bytes, format, for: definition)
            return nil
        } catch {
            return error.text
        }
    }

    @Test(
        "A page of HTML is refused in place of a file, so that the last good rows stay",
        arguments: ContentFormat.allCases
    )
    func errorPage(_ format: ContentFormat) throws {
        let page = "<!DOCTYPE html>\n<html><head><title>503</title></head>\n<body>Down for maintenance</body></html>\n"
        let problem = try #require(try problem(Array(page.utf8), format))
        switch format {
        case .csv: #expect(problem == "has none of the columns that the table reads")
        case .gtfs: #expect(problem == "is no zip archive, or it is damaged")
        case .json, .geojson, .culture, .tdx:
            #expect(problem.hasPrefix("has no record that can be read: record 1 (line 1) "))
        }
    }

    @Test("A file in which every record is broken is refused with the first reason") func allBroken() throws {
        #expect(
            try problem(Array("[{\"name\":\"x\"},{\"id\":}]".utf8), .json)
                == "has no record that can be read: record 1 (line 1) id is missing"
        )
    }

    private func timetable(_ trip: String, profile: String = "[0,60]") throws -> TransitTimetable? {
        let text = """
            {"zone":"UTC","services":[{"weekdays":[],"first":0,"last":-1,"added":[20000],"removed":[]}],"patterns":[
            {"direction":0,"stops":["a","b"],"sequences":[],"profiles":[\(profile)],"trips":[\(trip)]}]}
            """
        return TransitTimetable(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
    }

    @Test(
        "A timetable with times beyond a hundred hours is none",
        arguments: [
            #""start":9223372036854775807"#, #""start":-1"#, #""start":360000"#,
            #""start":0,"headway":60,"until":9223372036854775807"#, #""start":0,"headway":0,"until":60"#,
        ]
    )
    func hugeTimes(_ times: String) throws {
        #expect(try timetable(#"{"id":"t","service":0,"profile":0,\#(times)}"#) == nil)
    }

    @Test("A timetable whose stops are beyond a hundred hours is none") func hugeProfile() throws {
        let trip = #"{"id":"t","service":0,"profile":0,"start":0}"#
        #expect(try timetable(trip) != nil)
        for profile in ["[0,9223372036854775807]", "[-2,0]", "[0,360000]", "[0]"] {
            #expect(try timetable(trip, profile: profile) == nil)
        }
    }

    @Test("Departures without end take bounded work") func endlessDepartures() {
        let stops = (0..<1_000).map(String.init)
        var pattern = TransitTimetable.Pattern(direction: 0, stops: stops)
        pattern.profiles = [[Int](repeating: 0, count: stops.count)]
        var trip = TransitTimetable.Trip(id: "t", service: 0, profile: 0, start: 0)
        (trip.headway, trip.until) = (1, 359_999)
        pattern.trips = [TransitTimetable.Trip](repeating: trip, count: 20_000)
        let service = TransitTimetable.Service(added: Array(repeating: 20_000, count: 10_000))
        let timetable = TransitTimetable(zone: "UTC", patterns: [pattern], services: [service])
        #expect(timetable.isConsistent)
        let now = Timestamp(rawValue: 20_000 * 86_400_000 + 1)
        #expect(TransitArrivals(timetable, realtime: nil).next(route: "r", at: now).count == stops.count)
    }

    @Test("Times of a feed beyond a hundred hours are skipped, and so are numbers that are none") func feedTimes()
        throws
    {
        let times = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
        for row in [
            "t1,999999:99:99,,s1,1", "t1,8:00:00,,s1,99999999999999999999", "t1,8:60:00,,s1,1", "t1,-8:00:00,,s1,1",
            "t1,8:00:00,,s1,-1",
        ] {
            let file = try GTFSTests.feed(["stop_times.txt": times + row + "\n"])
            #expect(file.report.skipped == 1, "\(row)")
        }
    }

    @Test("A file of an archive that is packed once more is refused: it could be a bomb") func packedTwice() throws {
        var files = GTFSTests.files.map { (name: $0.key, bytes: Array($0.value.utf8)) }
        files.removeAll { $0.name == "stops.txt" }
        files.append((name: "stops.txt", bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]))
        #expect(try problem(try zipped(files), .gtfs) == "has a file stops.txt that is packed twice")
    }

    @Test("A time zone that IANA does not have is refused by its name", arguments: ["Mars/Phobos", "GMT+8", "PST"])
    func wrongZone(_ zone: String) throws {
        let agency = GTFSTests.agency.replacing("Asia/Taipei", with: zone)
        let problem = #expect(throws: ContentFileProblem.self) { try GTFSTests.feed(["agency.txt": agency]) }
        #expect(problem?.text == "has the time zone \(zone) in agency.txt, which IANA does not have")
    }

    @Test("Tags that never end take linear work") func openTags() {
        let text = String(repeating: "<a", count: 300_000)
        #expect(CultureText.withoutMarkup(text) == text)
    }

    @Test("Addresses with control characters are left out") func controlCharacters() throws {
        let text = #"[{"id":"1","link":"https://example.tw/\u0000a"},{"id":"2","link":"https://example.tw/a"}]"#
        let file = try read(text, .json, Self.places)
        #expect(file.report.invalidValues == ["link": 1])
    }

    @Test("A stored text is read again as it is, whatever control characters and blanks the file has")
    func storedTexts() throws {
        let text = #"[{"id":" \u0000 a\u0008 \u0000","name":"\u0001 \u0002"},{"id":"\u0000 \u0000"}]"#
        let file = try read(text, .json, Self.places)
        let rows = try #require(file.tables["places"])
        #expect(rows.map(\.key) == ["a"])
        #expect(rows[0].json(Self.places.tables[0]) == .object(["id": "a"]))
        #expect(file.report.skipped == 1)
        #expect(FollowedRow(#"{"id":"a"}"#, of: Self.places.tables[0])?.key == "a")
    }

    @Test("A shape on both sides of the date line is there, and not on the other side of the earth") func dateLine()
        throws
    {
        let text = """
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"1","properties":{},"geometry":
            {"type":"Polygon","coordinates":[[[179,-17],[-177,-17],[-177,-15],[179,-15],[179,-17]]]}}]}
            """
        let row = try #require(try read(text, .geojson, Self.places).documents("places", of: Self.places).first)
        #expect(row["at"]?["latitude"]?.number == -16)
        #expect(row["at"]?["longitude"]?.number == -179)
    }

    @Test("Positions beyond the poles and the date line are left out, those on them are places") func edges() throws {
        let text =
            "id,latitude,longitude\n1,90,180\n2,-90,-180\n3,90.0001,0\n4,0,180.0001\n5,nan,1\n6,inf,1\n7,1e999,1\n8,0x10,1\n"
        let file = try read(text, .csv, Self.places)
        #expect(file.report.read == 8 && file.report.skipped == 0)
        #expect(file.report.invalidValues["at"] ?? 0 >= 5)
        let rows = try file.documents("places", of: Self.places)
        #expect(rows.prefix(2).allSatisfy { $0["at"] != nil } && rows[2]["at"] == nil && rows[3]["at"] == nil)
    }
}
