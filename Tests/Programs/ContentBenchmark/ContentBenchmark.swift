import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import NIOConcurrencyHelpers

/// Measures content sets on SQLite, for `script/bench content`: prints a JSON line for each thing.
@main
struct ContentBenchmark {
    private struct Usage: Error {}

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let folder = arguments.first, let places = Int(arguments.dropFirst().first ?? ""),
            let queries = Int(arguments.dropFirst(2).first ?? ""), let feed = arguments.last
        else {
            print("usage: ContentBenchmark FOLDER PLACES QUERIES FEED.zip")
            throw Usage()
        }
        let bench = try await ContentBenchmark(folder)
        try await bench.measurePlaces(places, queries)
        try await bench.measureFeed(feed)
        bench.database.close()
    }

    private let database: SQLiteDatabase
    private let sets: ContentSets
    private let app = AppID(rawValue: 1)

    private init(_ folder: String) async throws {
        database = try SQLiteDatabase(path: folder + "/content.sqlite")
        let now = Timestamp(rawValue: Int64(Date().timeIntervalSince1970 * 1_000))
        let stores = try await Stores(migrating: database, now: now)
        let request = AppRequest(name: "bench", bundleID: "org.example.bench")
        let secrets = SealedAppSecrets(keyHash: SecretHash(of: "key"), identitySecret: [1], receiptKey: [2])
        try await stores.apps.insert(
            StoredApp(app: App(id: app, request: request, createdAt: now), secrets: secrets)
        )
        let ids = NIOLockedValueBox<Int64>(0)
        sets = ContentSets(
            store: stores.contentSets,
            nextID: {
                ids.withLockedValue { id in
                    id += 1
                    return id
                }
            },
            now: { Timestamp(rawValue: Int64(Date().timeIntervalSince1970 * 1_000)) }
        )
    }

    /// Places in a square of about 100 km, and the 50 nearest within 2 km of random ones of them.
    private func measurePlaces(_ count: Int, _ queries: Int) async throws {
        let fields = [
            ContentField("id", .text), ContentField("name", .text, isSearchable: true),
            ContentField("city", .text, isIndexed: true), ContentField("at", .position),
        ]
        let definition = ContentSetDefinition(title: "P", tables: [ContentTable("places", key: "id", fields)])
        _ = try await sets.put("places", definition, app: app)
        var random = SplitMix(state: 1)
        var text = "id,name,city,latitude,longitude\n"
        for number in 0..<count {
            let (north, east) = (22.5 + random.next(), 120 + random.next())
            text += "\(number),Place \(number),city\(number % 22),\(north),\(east)\n"
        }
        let file = Array(text.utf8)
        let clock = ContinuousClock()
        let imported = try await clock.measure {
            _ = try await sets.importFile(file, .csv, table: nil, into: "places", app: app)
        }
        print(#"{"benchmark":"content-import","rows":\#(count),"seconds":\#(imported.seconds)}"#)
        var found = 0
        let searched = try await clock.measure {
            for _ in 0..<queries {
                guard let place = ContentPosition(latitude: 22.5 + random.next(), longitude: 120 + random.next()) else {
                    continue
                }
                var query = ContentQuery()
                query.near = .init(place, radius: 2_000)
                query.limit = 50
                found += try await sets.page(query, table: nil, of: "places", app: app).items.count
            }
        }
        let rate = Int(Double(queries) / searched.seconds)
        print(
            #"{"benchmark":"content-near","places":\#(count),"queries":\#(queries),"perSecond":\#(rate),"rows":\#(found)}"#
        )
    }

    private func measureFeed(_ path: String) async throws {
        guard let definition = ContentSetDefinition.preset("transit") else { return }
        _ = try await sets.put("buses", definition, app: app)
        let file = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let clock = ContinuousClock()
        let before = Self.memory("VmHWM")
        var rows = 0
        let imported = try await clock.measure {
            let run = try await sets.importFile(file, .gtfs, table: nil, into: "buses", app: app)
            rows = run.tables.reduce(0) { $0 + $1.rows }
        }
        let peak = Self.memory("VmHWM")
        print(
            """
            {"benchmark":"content-gtfs","bytes":\(file.count),"rows":\(rows),"seconds":\(imported.seconds),\
            "peakMiB":\(peak / 1_024),"beforeMiB":\(before / 1_024)}
            """
        )
    }

    /// KiB of this process, as Linux counts them.
    private static func memory(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

extension Duration {
    fileprivate var seconds: Double {
        (Double(components.seconds) + Double(components.attoseconds) / 1e18).rounded(toPlaces: 3)
    }
}

extension Double {
    fileprivate func rounded(toPlaces places: Int) -> Double {
        let factor = pow(10, Double(places))
        return (self * factor).rounded() / factor
    }
}

/// The same numbers in every run.
private struct SplitMix {
    var state: UInt64

    /// From 0 up to 1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
    }
}
