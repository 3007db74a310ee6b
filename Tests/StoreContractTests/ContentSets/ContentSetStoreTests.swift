import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import CarillonStore

/// Content sets on both databases.
@Suite struct ContentSetStoreTests {
    let app = AppID(rawValue: 77)
    private let other = AppID(rawValue: 78)
    let now = Timestamp(rawValue: 1_800_000_000_000)
    let definition = ContentSetDefinition(
        title: "Places",
        tables: [
            ContentTable(
                "places",
                key: "id",
                order: ["name"],
                [
                    ContentField("id", .text), ContentField("name", .text, isSearchable: true),
                    ContentField("city", .text, isIndexed: true), ContentField("tags", .list, isIndexed: true),
                    ContentField("opened", .time), ContentField("at", .position),
                ]
            )
        ]
    )

    struct World {
        let stores: Stores
        let sets: ContentSets
        let app: AppID

        /// Imports a table.
        @discardableResult
        func load(_ rows: String, into set: String = "places") async throws -> ContentImportRun {
            let text = "id,name,city,tags,opened,latitude,longitude\n" + rows
            return try await sets.importFile(Array(text.utf8), .csv, table: nil, into: set, app: app)
        }

        func page(_ change: (inout ContentQuery) -> Void = { _ in }) async throws -> ContentPage {
            var query = ContentQuery()
            change(&query)
            return try await sets.page(query, table: nil, of: "places", app: app)
        }

        /// The keys of the rows that fit.
        func ids(_ change: (inout ContentQuery) -> Void = { _ in }) async throws -> [String] {
            try await page(change).items.map { try #require(Self.id($0)) }
        }

        static func id(_ item: ContentPage.Item) -> String? {
            let row = try? JSONDecoder().decode(JSONValue.self, from: Data(item.document.utf8))
            return row?["id"]?.string
        }

        func count(_ table: SQL) async throws -> Int {
            try await stores.database.read { connection in try connection.first(table, as: Int.self) } ?? 0
        }
    }

    func withSets(_ kind: StoreKind, _ body: (World) async throws -> Void) async throws {
        try await kind.withDatabase { database in try await body(try await world(on: database)) }
    }

    /// Two Apps, the first of them with a set.
    func world(on database: any Database) async throws -> World {
        let stores = try await Stores(migrating: database, now: now)
        for app in [app, other] {
            let value = App(id: app, request: AppRequest(name: "A", bundleID: "com.example.a"), createdAt: now)
            let hash = SecretHash(of: "key\(app.rawValue)")
            let secrets = SealedAppSecrets(keyHash: hash, identitySecret: [1], receiptKey: [2])
            try await stores.apps.insert(StoredApp(app: value, secrets: secrets))
        }
        let ids = NIOLockedValueBox<Int64>(0)
        let now = now
        let next: @Sendable () -> Int64 = {
            ids.withLockedValue {
                $0 += 1
                return $0
            }
        }
        let sets = ContentSets(store: stores.contentSets, nextID: next, now: { now })
        _ = try await sets.put("places", definition, app: app)
        return World(stores: stores, sets: sets, app: app)
    }

    static let rows = """
        1,B 音樂廳,高雄市,music;hall,2026-11-26T10:00:00Z,22.6264,120.3173
        2,A Museum,高雄市,art,2026-11-27T10:00:00Z,22.6300,120.3173
        3,C Station,台北市,train,,25.0478,121.5170
        4,D Nowhere,台北市,,,,

        """

    @Test("M-46 M-52 Rows are found by an indexed field, and by none all are", arguments: StoreKind.allCases)
    func equality(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            #expect(try await world.ids() == ["2", "1", "3", "4"])
            #expect(try await world.ids { $0.equalities = [.init(field: "city", values: ["高雄市"])] } == ["2", "1"])
            let both = ["高雄市", "台北市"]
            #expect(try await world.ids { $0.equalities = [.init(field: "city", values: both)] }.count == 4)
            #expect(
                try await world.ids { $0.equalities = [.init(field: "tags", values: ["hall", "train"])] } == ["1", "3"]
            )
            #expect(try await world.ids { $0.equalities = [.init(field: "id", values: ["3", "9"])] } == ["3"])
        }
    }

    @Test("M-50 M-56 M-62 What nothing fits is an empty page", arguments: StoreKind.allCases)
    func nothing(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            #expect(try await world.page() == ContentPage(items: [], next: nil))
            try await world.load(Self.rows)
            #expect(try await world.ids { $0.equalities = [.init(field: "city", values: ["東京"])] } == [])
            #expect(try await world.ids { $0.equalities = [.init(field: "id", values: ["unknown"])] } == [])
        }
    }

    @Test("M-47 A range of times has its first instant and not its last", arguments: StoreKind.allCases)
    func times(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            let (first, second) = (Timestamp("2026-11-26T10:00:00Z"), Timestamp("2026-11-27T10:00:00Z"))
            #expect(try await world.ids { $0.times = .init(field: "opened", from: first, until: second) } == ["1"])
            #expect(try await world.ids { $0.times = .init(field: "opened", from: second, until: nil) } == ["2"])
            #expect(try await world.ids { $0.times = .init(field: "opened", from: nil, until: nil) } == ["2", "1"])
        }
    }

    @Test("Words are found, in Chinese too", arguments: StoreKind.allCases)
    func words(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            #expect(try await world.ids { $0.words = "音樂" } == ["1"])
            #expect(try await world.ids { $0.words = "museum a" } == ["2"])
            #expect(try await world.ids { $0.words = "museum b" } == [])
        }
    }

    @Test("M-53 M-58 M-60 Rows near a point, the nearest first, also with a city", arguments: StoreKind.allCases)
    func near(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            let place = try #require(ContentPosition(latitude: 22.6299, longitude: 120.3173))
            let page = try await world.page { $0.near = .init(place, radius: 1_000) }
            #expect(page.items.map(World.id) == ["2", "1"])
            #expect(page.items.map { Int($0.distance ?? 0) } == [11, 389])
            #expect(try await world.ids { $0.near = .init(place, radius: 100) } == ["2"])
            #expect(
                try await world.ids {
                    $0.near = .init(place, radius: 200_000)
                    $0.equalities = [.init(field: "tags", values: ["music"])]
                } == ["1"]
            )
            // M-60: an empty area.
            let sea = try #require(ContentPosition(latitude: 0, longitude: 0.5))
            #expect(try await world.ids { $0.near = .init(sea, radius: 1_000) } == [])
        }
    }

    @Test("Places at the poles and on both sides of the date line are near each other", arguments: StoreKind.allCases)
    func edges(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(
                """
                1,east,,,,10,179.9999
                2,west,,,,10,-179.9999
                3,line,,,,10,180
                4,pole,,,,89.9999,10
                5,far side,,,,89.9999,-170
                6,south,,,,-90,0

                """
            )
            let line = try #require(ContentPosition(latitude: 10, longitude: -180))
            #expect(try await world.ids { $0.near = .init(line, radius: 50) } == ["3", "1", "2"])
            let pole = try #require(ContentPosition(latitude: 90, longitude: 120))
            // Both are as far away.
            #expect(try await world.ids { $0.near = .init(pole, radius: 100) }.sorted() == ["4", "5"])
            let south = try #require(ContentPosition(latitude: -89.9999, longitude: 77))
            #expect(try await world.ids { $0.near = .init(south, radius: 100) } == ["6"])
        }
    }

    @Test("Pages follow each other by cursor and by number", arguments: StoreKind.allCases)
    func pages(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let rows = (1...25).map { "\($0),n\($0 + 10),x,,,22.\(10 + $0),120" }.joined(separator: "\n") + "\n"
            try await world.load(rows)
            let place = try #require(ContentPosition(latitude: 22.1, longitude: 120))
            for near in [nil, ContentQuery.Near(place, radius: 100_000)] {
                var (ids, cursor, pages): ([String], ContentCursor?, Int) = ([], nil, 0)
                repeat {
                    let page = try await world.page {
                        ($0.near, $0.limit, $0.part) = (near, 10, .after(cursor))
                    }
                    ids += page.items.compactMap(World.id)
                    (cursor, pages) = (page.next, pages + 1)
                } while cursor != nil
                #expect(ids == (1...25).map(String.init))
                #expect(pages == 3)
                let page = try await world.page { ($0.near, $0.limit, $0.part) = (near, 10, .page(3)) }
                #expect(page.items.map(World.id) == ["21", "22", "23", "24", "25"])
                #expect(page.total == 25)
            }
        }
    }

    @Test("M-67 An import again changes, adds and removes rows by their key", arguments: StoreKind.allCases)
    func again(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let first = try await world.load(Self.rows)
            #expect(first.tables == [.init(name: "places", imported: 4, changed: 0, gone: 0, rows: 4)])
            let changed = Self.rows.replacing("A Museum", with: "E Museum").replacing("4,D", with: "5,D")
            let second = try await world.load(changed)
            #expect(second.tables == [.init(name: "places", imported: 1, changed: 1, gone: 1, rows: 4)])
            #expect(try await world.ids() == ["1", "3", "5", "2"])

            let slot = try await world.sets.set("places", app: world.app).versions["places"]?.slot
            let third = try await world.load(changed)
            #expect(third.tables.map(\.isChange) == [false])
            #expect(try await world.sets.set("places", app: world.app).versions["places"]?.slot == slot)
        }
    }

    @Test("M-78 A file that is refused leaves the last rows, and the run says why", arguments: StoreKind.allCases)
    func refused(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            await #expect(throws: ContentSetError.self) {
                try await world.sets.importFile(
                    Array("x,y\n1,2\n".utf8),
                    .csv,
                    table: nil,
                    into: "places",
                    app: world.app
                )
            }
            #expect(try await world.ids().count == 4)
            let runs = try await world.sets.runs(of: "places", app: world.app, before: nil, limit: 10).items
            #expect(runs.map(\.state) == [.failed, .completed])
            #expect(runs[0].problems == ["The file has none of the columns that the table reads."])
        }
    }

    @Test(
        "M-78 A version that is being written is seen by nobody, and removed when it was left",
        arguments: StoreKind.allCases
    )
    func unpublished(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            let store = world.stores.contentSets
            let table = definition.tables[0]
            let slot = try await store.begin(table, of: "places", app: app, at: now)
            let row = ContentRow(key: "9", values: [.text("9"), .text("left"), nil, nil, nil, nil])
            let stored = StoredContentRow(row, number: 1, of: table, document: #"{"id":"9"}"#)
            try await store.append([stored], to: slot, app: app)
            #expect(try await world.ids().count == 4)

            // Not before its time, then with all of its rows.
            #expect(try await !store.dropUnused(app: app, before: now))
            while try await store.dropUnused(app: app, before: Timestamp(rawValue: now.rawValue + 1)) {}
            #expect(try await world.count("SELECT count(*) FROM content_rows") == 4)
            #expect(try await world.count("SELECT count(*) FROM content_versions") == 1)
            // What was given up is not published later.
            await #expect(throws: StoreError.self) { try await store.append([stored], to: slot, app: app) }
            await #expect(throws: StoreError.self) {
                try await store.publish(
                    [slot],
                    of: "places",
                    app: app,
                    over: [:],
                    rowCounts: [slot: 1],
                    news: [:],
                    at: now
                )
            }
            #expect(try await world.ids().count == 4)
        }
    }

    @Test(
        "A cursor goes on in its version after one import, and is refused after the second",
        arguments: StoreKind.allCases
    )
    func cursorVersions(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            let cursor = try #require(try await world.page { $0.limit = 2 }.next)
            try await world.load("7,New,,,,,\n")
            #expect(try await world.ids { $0.part = .after(cursor) } == ["3", "4"])
            try await world.load("8,Newer,,,,,\n")
            await #expect(throws: ContentSetError.self) { try await world.ids { $0.part = .after(cursor) } }
            // The rows of the first version are gone.
            #expect(try await world.count("SELECT count(*) FROM content_rows") == 2)
        }
    }

    @Test("A deleted set leaves nothing, and another App has none of it", arguments: StoreKind.allCases)
    func deletion(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            await #expect(throws: ContentSetError.notFound) { try await world.sets.set("places", app: other) }
            await #expect(throws: ContentSetError.notFound) { try await world.sets.delete("places", app: other) }
            try await world.sets.delete("places", app: app)
            await #expect(throws: ContentSetError.notFound) { try await world.sets.set("places", app: app) }
            #expect(try await world.count("SELECT count(*) FROM content_rows") == 0)
            #expect(try await world.count("SELECT count(*) FROM content_terms") == 0)
            #expect(try await world.count("SELECT count(*) FROM content_times") == 0)
            #expect(try await world.count("SELECT count(*) FROM content_versions") == 0)
            #expect(try await world.count("SELECT count(*) FROM content_runs") == 0)
            if world.stores.database.dialect == .sqlite {
                #expect(try await world.count("SELECT count(*) FROM content_places") == 0)
            }
        }
    }

    @Test("Sets are listed by name, and an App has a bounded number", arguments: StoreKind.allCases)
    func listing(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            for number in 1..<ContentSet.maximumCount {
                _ = try await world.sets.put("s\(number)", definition, app: app)
            }
            await #expect(throws: ContentSetError.tooMany("content sets of an App", limit: 100)) {
                try await world.sets.put("more", definition, app: app)
            }
            // One that exists may still be changed.
            let changed = try await world.sets.put("s1", definition, app: app)
            #expect(changed.name == "s1")
            let page = try await world.sets.list(app: app, after: nil, limit: 1)
            #expect(page.items.map(\.name) == ["places"])
            #expect(page.nextCursor == "places")
            await #expect(throws: ContentSetError.noApp) {
                try await world.sets.put("x", definition, app: AppID(rawValue: 1))
            }
        }
    }
}
