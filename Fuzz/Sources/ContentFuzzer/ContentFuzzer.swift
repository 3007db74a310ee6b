import CarillonModel
import Foundation

@testable import CarillonContentSets

/// What libFuzzer calls with each input: a file of content sets, whose first byte says which format it has.
///
/// Whatever is read must be within the limits, and its report must add up; what is made of it must be read again. It ends
/// the process where that is not so, which is how a fuzzer is told.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContent(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch first {
    case UInt8(ascii: "c"): check(bytes, .csv)
    case UInt8(ascii: "j"): check(bytes, .json)
    case UInt8(ascii: "g"): check(bytes, .geojson)
    case UInt8(ascii: "e"): check(bytes, .culture)
    case UInt8(ascii: "z"): check(bytes, .gtfs)
    case UInt8(ascii: "t"): check(bytes, .tdx)
    case UInt8(ascii: "p"): checkMessage(bytes)
    default: break
    }
    return 0
}

private let places = ContentSetDefinition(
    title: "Places",
    timeZone: "Asia/Taipei",
    tables: [
        ContentTable(
            "places",
            key: "id",
            order: ["name"],
            [
                ContentField("id", .text), ContentField("name", .text, isSearchable: true),
                ContentField("at", .position), ContentField("n", .integer, isIndexed: true),
                ContentField("x", .number), ContentField("b", .boolean, isIndexed: true),
                ContentField("l", .list, isIndexed: true, isSearchable: true), ContentField("j", .json),
                ContentField("u", .url), ContentField("t", .time),
            ]
        )
    ]
)

/// Made once: an input takes less time than its definition.
private let (culture, transit) = (preset("culture"), preset("transit"))

private func preset(_ name: String) -> ContentSetDefinition {
    guard let preset = ContentSetDefinition.preset(name) else { fatalError("There is no definition.") }
    return preset
}

private func definition(_ format: ContentFormat) -> ContentSetDefinition {
    if format.fillsOneTable { return places }
    return format == .culture ? culture : transit
}

private func check(_ bytes: [UInt8], _ format: ContentFormat) {
    let definition = definition(format)
    var limits = ContentFile.Limits()
    (limits.textSize, limits.archive.totalSize) = (1 << 18, 1 << 20)
    guard let file = try? ContentFile(bytes, format, for: definition, limits: limits) else { return }
    let report = file.report
    let rows = file.tables.values.reduce(0) { $0 + $1.count }
    guard rows > 0, report.skipped <= report.read, report.problems.count <= ContentFileReport.maximumProblemCount else {
        fatalError("The report does not add up.")
    }
    if format.fillsOneTable, rows + report.skipped != report.read { fatalError("A record is lost.") }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for (name, rows) in file.tables {
        guard let table = definition.table(name), Set(rows.map(\.key)).count == rows.count else {
            fatalError("Two rows have one key.")
        }
        for row in rows { check(row, table, encoder) }
    }
}

private func check(_ row: ContentRow, _ table: ContentTable, _ encoder: JSONEncoder) {
    guard row.values.count == table.fields.count, (1...ContentValue.maximumTermSize).contains(row.key.utf8.count) else {
        fatalError("A row does not fit its table.")
    }
    guard let data = try? encoder.encode(row.json(table)) else { fatalError("A row is no JSON.") }
    // What is stored is what followers are compared with.
    guard FollowedRow(String(decoding: data, as: UTF8.self), of: table)?.key == row.key else {
        fatalError("A stored row is read otherwise.")
    }
    guard let index = table.index(of: "timetable"), case .json(let document)? = row.values[index] else { return }
    guard let timetable = TransitTimetable(document) else { return }
    checkArrivals(timetable, nil)
}

private func checkArrivals(_ timetable: TransitTimetable, _ realtime: TransitRealtime?) {
    let now = Timestamp(rawValue: 1_795_250_640_000)
    for arrival in TransitArrivals(timetable, realtime: realtime).next(route: "r", at: now) {
        if let time = arrival.time, time < now { fatalError("An arrival is over.") }
    }
}

private func checkMessage(_ bytes: [UInt8]) {
    var realtime = TransitRealtime()
    do throws(TransitRealtime.Failure) {
        try realtime.update(bytes)
    } catch {
        guard realtime == TransitRealtime() else { fatalError("A refused message changed something.") }
        return
    }
    var pattern = TransitTimetable.Pattern(direction: 0, stops: ["a", "b", "c"])
    pattern.profiles = [[0, 60, -1]]
    pattern.trips = [
        .init(id: "t", service: 0, profile: 0, start: 0), .init(id: "", service: 0, profile: 0, start: 60),
    ]
    (pattern.trips[1].headway, pattern.trips[1].until) = (3_600, 86_400)
    let service = TransitTimetable.Service(weekdays: [Bool](repeating: true, count: 7), first: 0, last: 40_000)
    checkArrivals(TransitTimetable(zone: "UTC", patterns: [pattern], services: [service]), realtime)
}
