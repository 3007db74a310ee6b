import CarillonModel
import Testing

@testable import CarillonContentSets

/// GTFS Schedule archives.
struct GTFSTests {
    static let agency = "agency_id,agency_name,agency_url,agency_timezone\n1,Bus,https://example.tw,Asia/Taipei\n"
    static let stops = """
        stop_lat,stop_id,stop_name,stop_lon\n22.63,s1,"Station, \"\"Main\"\"\",120.30\n22.64,s2,"Two\nlines",120.31
        22.65,s3,三,120.32\n
        """
    static let routes = "route_id,route_short_name,route_long_name,route_type\nr1,100,Long way,3\nr2,,Only long,3\n"
    static let trips = "trip_id,route_id,service_id,direction_id\nt1,r1,week,0\nt2,r1,week,1\nt3,r1,special,0\n"
    static let times = """
        trip_id,arrival_time,departure_time,stop_id,stop_sequence
        t1,8:00:00,8:00:00,s1,1\nt1,,,s2,2\nt1,8:20:00,8:20:00,s3,3
        t2,25:10:00,25:10:00,s3,10\nt2,25:20:00,25:20:00,s1,20
        t3,09:00:00,09:00:00,s1,1\nt3,09:30:00,09:30:00,s3,2\n
        """
    static let calendar = """
        service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
        week,1,1,1,1,1,0,0,20261101,20261231\n
        """
    static let dates = "service_id,date,exception_type\nweek,20261126,2\nspecial,20261126,1\n"

    static let files = [
        "agency.txt": "\u{FEFF}" + agency, "stops.txt": stops, "routes.txt": routes, "trips.txt": trips,
        "stop_times.txt": times, "calendar.txt": calendar, "calendar_dates.txt": dates,
    ]

    static func feed(_ changes: [String: String?] = [:]) throws -> ContentFile {
        var files = Self.files
        for (name, text) in changes { files[name] = text }
        let definition = try #require(ContentSetDefinition.preset("transit"))
        return try ContentFile(try zipped(files), .gtfs, for: definition)
    }

    static func timetable(_ route: String, _ changes: [String: String?] = [:]) throws -> TransitTimetable {
        let definition = try #require(ContentSetDefinition.preset("transit"))
        let rows = try feed(changes).documents("routes", of: definition)
        let row = try #require(rows.first { $0["id"]?.string == route })
        return try #require(TransitTimetable(row["timetable"]))
    }

    static func times(_ timetable: TransitTimetable, at now: String) throws -> [String] {
        let arrivals = TransitArrivals(timetable, realtime: nil).next(route: "r1", at: try instant(now))
        return arrivals.map {
            "\($0.isInbound ? 1 : 0) \($0.stop) \($0.time?.description.dropFirst(11).prefix(5) ?? "-")"
        }
    }

    @Test("M-71 A byte order mark, quotes with commas and line breaks, columns in any order") func quirks() throws {
        let file = try Self.feed()
        let definition = try #require(ContentSetDefinition.preset("transit"))
        let stops = try file.documents("stops", of: definition)
        #expect(stops.map { $0["name"]?.string } == ["Station, \"Main\"", "Two\nlines", "三"])
        #expect(stops[0]["routes"] == .array([.string("r1")]))
        let routes = try file.documents("routes", of: definition)
        #expect(routes.map { $0["name"]?.string } == ["100", "Only long"])
        #expect(routes[0]["description"]?.string == "Long way")
        #expect(file.report.skipped == 0)
    }

    @Test("M-71 Files that a feed need not have may be missing", arguments: ["calendar_dates.txt", "frequencies.txt"])
    func optionalFiles(_ name: String) throws {
        let trips = "trip_id,route_id,service_id\nt1,r1,week\n"
        let times = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nt1,8:00:00,,s1,1\n"
        let file = try Self.feed([name: nil, "trips.txt": trips, "stop_times.txt": times])
        #expect(file.tables["routes"]?.count == 2)
    }

    @Test(
        "M-71 A feed without a file that each has is refused by name",
        arguments: [
            "agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt",
        ]
    )
    func requiredFiles(_ name: String) throws {
        #expect(throws: ContentFileProblem("has no \(name)")) { try Self.feed([name: nil]) }
    }

    @Test("M-71 A row that refers to nothing is skipped and counted") func brokenRows() throws {
        let times = Self.times + "t9,8:00:00,8:00:00,s1,1\nt1,8:99:00,,s1,4\n"
        let report = try Self.feed(["stop_times.txt": times]).report
        #expect(report.skipped == 2)
        #expect(report.problems.first == "stop_times.txt line 9 has a trip_id that trips.txt does not have")
    }

    @Test("M-72 A time beyond 24 hours is of the next calendar day") func afterMidnight() throws {
        // 2026-11-25 is a Wednesday: its trip at 25:10 comes on Thursday at 01:10, 17:10 of Wednesday in UTC.
        let times = try Self.times(try Self.timetable("r1"), at: "2026-11-25T16:30:00Z")
        #expect(times.filter { $0.hasPrefix("1") } == ["1 s3 17:10", "1 s1 17:20"])
    }

    @Test("M-73 A date that is removed has no trips, one that is added has") func exceptions() throws {
        // Thursday 2026-11-26: `week` is removed, `special` added. 08:00 in Taipei is 00:00 in UTC.
        let timetable = try Self.timetable("r1")
        #expect(
            try Self.times(timetable, at: "2026-11-25T22:00:00Z").prefix(3) == ["0 s1 01:00", "0 s2 -", "0 s3 01:30"]
        )
        // Wednesday and Saturday.
        #expect(
            try Self.times(timetable, at: "2026-11-24T22:00:00Z").prefix(3) == [
                "0 s1 00:00", "0 s2 00:10", "0 s3 00:20",
            ]
        )
        #expect(try Self.times(timetable, at: "2026-11-27T22:00:00Z").prefix(3) == ["0 s1 -", "0 s2 -", "0 s3 -"])
    }

    @Test("M-73 Frequencies expand to departures") func frequencies() throws {
        let frequencies = "trip_id,start_time,end_time,headway_secs\nt1,10:00:00,11:00:00,1200\n"
        let timetable = try Self.timetable("r1", ["frequencies.txt": frequencies])
        // Departures at 10:00, 10:20 and 10:40 in Taipei.
        #expect(try Self.times(timetable, at: "2026-11-24T02:01:00Z").first == "0 s1 02:20")
        #expect(try Self.times(timetable, at: "2026-11-24T02:41:00Z").prefix(2) == ["0 s1 -", "0 s2 02:50"])
    }

    @Test("M-63 The stops of a route: outbound ones in order, then inbound ones") func stopsInOrder() throws {
        let stops = try Self.times(try Self.timetable("r1"), at: "2026-11-24T00:00:00Z").map { $0.prefix(4) }
        #expect(stops == ["0 s1", "0 s2", "0 s3", "1 s3", "1 s1"])
    }

    @Test(
        "Times of GTFS",
        arguments: [
            ("8:00:00", 28_800), ("08:00:00", 28_800), ("25:10:00", 90_600), (" 7:05:09", 25_509), ("8:60:00", nil),
            ("8:00", nil), ("", nil), ("800:00:00", nil), ("-1:00:00", nil), ("8:0:00", nil),
        ]
    )
    func clock(_ text: String, _ expected: Int?) {
        #expect(GTFSClock.seconds(text) == expected)
    }

    @Test("A timetable whose positions are wrong is none") func inconsistentTimetable() throws {
        var timetable = TransitTimetable(zone: "UTC", patterns: [.init(direction: 0, stops: ["a"])])
        timetable.patterns[0].trips = [.init(id: "t", service: 0, profile: 0, start: 0)]
        #expect(TransitTimetable(timetable.json) == nil)
    }
}
