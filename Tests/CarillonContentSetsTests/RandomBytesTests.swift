import CarillonModel
import Testing

@testable import CarillonContentSets

/// Properties of all importers, on bytes from a seeded generator: whatever a file has, it is read or refused, and the
/// report adds up.
struct RandomBytesTests {
    /// SplitMix64: the same numbers in every run.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    /// Pieces that files are made of, good and bad.
    private static let pieces: [String] = [
        "{", "}", "[", "]", "\"", "\\", ",", ":", "\n", "\r\n", "\0", "é", "null", "true", "-1", "1e999", " ",
        "\u{FEFF}",
        "\"UID\":\"a\"", "\"title\":\"t\"", "\"showInfo\":[{\"time\":\"2026/11/26 19:30:00\",\"latitude\":\"91\"}]",
        "\"type\":\"Feature\"", "\"features\":[", "\"geometry\":{\"coordinates\":[[[1,2],[3,4]]]}",
        "\"properties\":{\"id\":1}",
        "\"Stop\":[", "\"Route\":[", "\"StopOfRoute\":[", "\"StopUID\":\"s\"", "\"RouteUID\":\"r\"",
        "\"Stops\":[{\"StopUID\":\"s\"}]",
        "id,name,latitude,longitude\n", "id", "name", "1", "22.5", "120", "2026-02-30", "<p>&amp;&#99999999;</p", "臺北市",
    ]

    private static let places = ContentSetDefinition(
        title: "x",
        tables: [
            ContentTable(
                "events",
                key: "id",
                order: ["name"],
                [
                    ContentField("id", .text), ContentField("name", .text, isSearchable: true),
                    ContentField("at", .position), ContentField("n", .integer), ContentField("l", .list),
                    ContentField("j", .json), ContentField("u", .url), ContentField("t", .time),
                ]
            )
        ]
    )

    private func check(_ bytes: [UInt8], _ format: ContentFormat) throws {
        let definition =
            format == .culture || format == .gtfs || format == .tdx
            ? try #require(ContentSetDefinition.preset(format == .culture ? "culture" : "transit")) : Self.places
        do throws(ContentFileProblem) {
            let file = try ContentFile(bytes, format, for: definition)
            let rows = file.tables.values.reduce(0) { $0 + $1.count }
            #expect(file.report.problems.count <= ContentFileReport.maximumProblemCount)
            #expect(file.report.skipped <= file.report.read)
            if format.fillsOneTable { #expect(rows + file.report.skipped == file.report.read) }
            for (name, rows) in file.tables {
                let table = definition.table(name)
                #expect(Set(rows.map(\.key)).count == rows.count)
                #expect(rows.allSatisfy { $0.values.count == table?.fields.count })
            }
        } catch {
            #expect(!error.text.isEmpty)
        }
    }

    @Test("Files of any pieces are read or refused", arguments: ContentFormat.allCases)
    func pieces(_ format: ContentFormat) throws {
        var generator = Generator(state: 7)
        for _ in 0..<1_000 {
            let count = Int.random(in: 0...30, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            try check(Array(text.utf8), format)
        }
    }

    @Test("Archives with changed bytes are read or refused") func archives() throws {
        let archive = try zipped(GTFSTests.files)
        var generator = Generator(state: 8)
        for _ in 0..<500 {
            var bytes = archive
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
            }
            try check(bytes, .gtfs)
        }
    }

    @Test("Messages of any bytes are read or refused") func messages() throws {
        var generator = Generator(state: 9)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...60, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...40, using: &generator) }
            var realtime = TransitRealtime()
            try? realtime.update(bytes)
            var timetable = TransitTimetable(zone: "Asia/Taipei", patterns: [.init(direction: 0, stops: ["a", "b"])])
            timetable.services = [.init(weekdays: Array(repeating: true, count: 7), first: 0, last: 40_000)]
            timetable.patterns[0].profiles = [[0, 60]]
            timetable.patterns[0].trips = [.init(id: "", service: 0, profile: 0, start: 0)]
            let now = Timestamp(rawValue: 1_800_000_000_000)
            #expect(TransitArrivals(timetable, realtime: realtime).next(route: "", at: now).count == 2)
        }
    }
}
