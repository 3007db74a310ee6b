import CarillonContentSets
import CarillonModel
import CarillonSQL
import NIOConcurrencyHelpers
import Testing

@testable import CarillonStore

/// What is often searched near points, in memory.
extension ContentSetStoreTests {
    /// A point of each kind, around which the rows are.
    private static let centers = [(22.5, 120.0), (90, 0), (-90, 1), (10, 180), (10, -180), (-89.9, 77)]

    /// Rows around the centers, within about 200 km, and anywhere.
    private func rows() -> String {
        var random = SystemRandomNumberGenerator()
        let number = { (range: ClosedRange<Double>) in Double.random(in: range, using: &random) }
        return (1...600).map { index in
            let (north, east): (Double, Double) =
                switch index % 6 {
                case 0: (22.5 + number(-0.5...0.5), 120 + number(-0.5...0.5))
                case 1: (90 - number(0...1.5), number(-180...180))
                case 2: (-90 + number(0...1.5), number(-180...180))
                case 3: (10 + number(-0.5...0.5), 180 - number(0...1))
                case 4: (10 + number(-0.5...0.5), -180 + number(0...1))
                default: (number(-90...90), number(-180...180))
                }
            return "\(index),n,x,,,\(north),\(east)\n"
        }.joined() + "601,n,x,,,90,17\n602,n,x,,,-90,-17\n603,n,x,,,10,180\n604,n,x,,,10,-180\n605,n,x,,,22.5,120\n"
    }

    private func nears() throws -> [ContentQuery.Near] {
        try Self.centers.flatMap { center in
            let place = try #require(ContentPosition(latitude: center.0, longitude: center.1))
            return [1_000, 50_000, 200_000].map { ContentQuery.Near(place, radius: $0) }
        }
    }

    private func answers(_ world: World, _ nears: [ContentQuery.Near]) async throws -> [ContentPage] {
        var pages: [ContentPage] = []
        for near in nears { pages.append(try await world.page { ($0.near, $0.limit) = (near, 20) }) }
        return pages
    }

    /// A node of its own on the world's database, with a memory of its own.
    private func node(of world: World, _ limits: PlaceAdmission.Limits = .init()) -> World {
        let store = ContentSetRepository(database: world.stores.database, places: ContentPlaceCache(limits))
        let now = now
        let sets = ContentSets(store: store, nextID: { 1_000 }, now: { now })
        return World(stores: world.stores, sets: sets, app: app)
    }

    private func makeFrequent(_ world: World) async throws {
        let near = try #require(try nears().first)
        for _ in 0..<PlaceAdmission.Limits().searches { _ = try await world.page { $0.near = near } }
    }

    @Test("What is searched often is found in memory, and as in the database", arguments: StoreKind.allCases)
    func cachedPlaces(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(rows())
            let (other, nears) = (node(of: world), try nears())
            let stored = try await answers(world, nears)
            // Each center has rows around it, more than a page.
            for page in stored.enumerated() where page.offset % 3 == 2 { #expect(page.element.items.count == 20) }
            try await makeFrequent(other)
            // Without its rows the database has no answer; the memory has.
            let app = app
            _ = try await world.stores.database.write { connection in
                try connection.run("UPDATE content_rows SET latitude = NULL, longitude = NULL WHERE app_id = $1", app)
            }
            #expect(try await answers(world, nears).allSatisfy(\.items.isEmpty))
            #expect(try await answers(other, nears) == stored)
        }
    }

    @Test("A row without a place on earth hides none behind it from memory", arguments: StoreKind.allCases)
    func brokenPlace(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            // More than are read at once.
            try await world.load(
                (1...2_100).map { "\(10_000 + $0),n,x,,,\($0 > 2_000 ? "10,180" : "22.5,120")\n" }.joined()
            )
            let (app, other) = (app, node(of: world))
            _ = try await world.stores.database.write { connection in
                try connection.run("UPDATE content_rows SET latitude = 91 WHERE app_id = $1 AND number = 5", app)
            }
            try await makeFrequent(other)
            let place = try #require(ContentPosition(latitude: 10, longitude: 180))
            let ids = try await other.ids { ($0.near, $0.limit) = (ContentQuery.Near(place, radius: 1_000), 100) }
            #expect(ids == (12_001...12_100).map(String.init))
        }
    }

    @Test("What another node publishes is found at once, in place of what is in memory", arguments: StoreKind.allCases)
    func publishedElsewhere(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(rows())
            let (other, near) = (node(of: world), try #require(try nears().first))
            try await makeFrequent(other)
            try await world.load("7,New,,,,22.5,120\n")
            #expect(try await other.ids { $0.near = near } == ["7"])
            try await world.sets.delete("places", app: app)
            await #expect(throws: ContentSetError.notFound) { try await other.page { $0.near = near } }
        }
    }

    @Test("Pages of what is in memory follow each other as those of the database", arguments: StoreKind.allCases)
    func cachedPages(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(rows())
            let (other, nears) = (node(of: world), try nears())
            try await makeFrequent(other)
            for near in nears where near.radius == 200_000 {
                var cursor: ContentCursor?
                repeat {
                    let part = ContentQuery.Part.after(cursor)
                    let pages = [
                        try await world.page { ($0.near, $0.limit, $0.part) = (near, 17, part) },
                        try await other.page { ($0.near, $0.limit, $0.part) = (near, 17, part) },
                    ]
                    #expect(pages[0] == pages[1])
                    cursor = pages[0].next
                } while cursor != nil
                let whole = ContentQuery.Part.page(1)
                let counts = [
                    try await world.page { ($0.near, $0.part) = (near, whole) }.total,
                    try await other.page { ($0.near, $0.part) = (near, whole) }.total,
                ]
                #expect(counts[0] == counts[1] && counts[0] ?? 0 > 20)
            }
        }
    }

    @Test("A search of what is in memory asks the database for the version alone, and on SQLite for nothing")
    func statements() async throws {
        for kind in StoreKind.allCases {
            try await kind.withRecordedDatabase { database, recorder in
                let world = try await world(on: database)
                try await world.load(rows())
                let near = try #require(try nears().first)
                try await makeFrequent(world)
                _ = try await world.page { $0.near = near }
                recorder.reset()
                #expect(try await !world.page { $0.near = near }.items.isEmpty)
                let texts = recorder.statements.map(\.text)
                #expect(kind == .postgreSQL ? texts.count == 2 : texts.isEmpty, "\(texts)")
                #expect(!texts.contains { $0.contains("content_rows") })
            }
        }
    }
}
