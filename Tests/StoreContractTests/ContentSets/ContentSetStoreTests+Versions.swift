import CarillonContentSets
import CarillonModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// Versions of several imports, and cursors that nobody was given, on both databases.
extension ContentSetStoreTests {
    @Test("A made-up cursor is an empty page or an error, and ends nothing", arguments: StoreKind.allCases)
    func madeUpCursors(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            let slot = try #require(try await world.sets.set("places", app: app).versions["places"]?.slot)
            let place = try #require(ContentPosition(latitude: 22.6299, longitude: 120.3173))
            for number in [Int64.max, Int64(Int32.max), 4] {
                let cursor = ContentCursor(slot: slot, place: number)
                for near in [nil, ContentQuery.Near(place, radius: 200_000)] {
                    #expect(try await world.ids { ($0.near, $0.part) = (near, .after(cursor)) } == [])
                }
            }
            let other = ContentCursor(slot: .max, place: 0)
            await #expect(throws: ContentSetError.self) { try await world.ids { $0.part = .after(other) } }
        }
    }

    @Test("M-78 A file of several tables of which one would be empty is refused", arguments: StoreKind.allCases)
    func emptiedTable(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let transit = try #require(ContentSetDefinition.preset("transit"))
            _ = try await world.sets.put("buses", transit, app: app)
            func load(_ routes: String) async throws -> ContentImportRun {
                let stops = #"[{"StopUID":"KHH1","StopID":"1","StopName":{"Zh_tw":"瑞豐站"}}]"#
                let text = #"{"Stop":\#(stops),"Route":\#(routes),"StopOfRoute":[]}"#
                return try await world.sets.importFile(Array(text.utf8), .tdx, table: nil, into: "buses", app: app)
            }
            // What never had a row may stay empty.
            #expect(try await load("[]").state == .completed)
            let routes = #"[{"RouteUID":"KHH100","RouteID":"100","RouteName":{"Zh_tw":"100"}}]"#
            #expect(try await load(routes).state == .completed)
            await #expect(throws: ContentSetError.self) { try await load("[]") }
            let last = try #require(
                try await world.sets.runs(of: "buses", app: app, before: nil, limit: 1).items.first
            )
            #expect(last.problems == ["The file has no row of routes, of which there are 1."])
            #expect(try await world.sets.set("buses", app: app).versions["routes"]?.rowCount == 1)
        }
    }

    @Test("A cursor's version has to have the fields of the conditions", arguments: StoreKind.allCases)
    func cursorFields(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            let cursor = try #require(try await world.page { $0.limit = 2 }.next)
            var changed = definition
            changed.tables[0].fields.append(ContentField("country", .text, isIndexed: true))
            _ = try await world.sets.put("places", changed, app: app)
            try await world.load(Self.rows)
            await #expect(throws: ContentSetError.self) {
                try await world.ids {
                    $0.part = .after(cursor)
                    $0.equalities = [.init(field: "country", values: ["x"])]
                }
            }
        }
    }

    @Test("Versions that were compared with another one are compared anew", arguments: StoreKind.allCases)
    func outdated(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            let (store, table) = (world.stores.contentSets, definition.tables[0])
            let first = try #require(try await world.sets.set("places", app: app).versions["places"]?.slot)
            let second = try await store.begin(table, of: "places", app: app, at: now)
            let third = try await store.begin(table, of: "places", app: app, at: now)
            func publish(_ slot: Int64, over compared: Int64) async throws -> ContentPublication {
                try await store.publish(
                    [slot],
                    of: "places",
                    app: app,
                    over: ["places": compared],
                    rowCounts: [slot: 0],
                    news: [:],
                    at: now
                )
            }
            #expect(try await publish(second, over: first) == .published)
            #expect(try await publish(third, over: first) == .outdated)
            #expect(try await publish(third, over: second) == .published)
        }
    }

    @Test("Of versions of two tables none is published when one is late", arguments: StoreKind.allCases)
    func lateTable(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let (store, one) = (world.stores.contentSets, definition.tables[0])
            var two = one
            two.name = "more"
            _ = try await world.sets.put("places", .init(title: "P", tables: [one, two]), app: app)
            let slots = [
                try await store.begin(one, of: "places", app: app, at: now),
                try await store.begin(two, of: "places", app: app, at: now),
            ]
            let later = try await store.begin(two, of: "places", app: app, at: now)
            func publish(_ slots: [Int64]) async throws -> ContentPublication {
                try await store.publish(slots, of: "places", app: app, over: [:], rowCounts: [:], news: [:], at: now)
            }
            #expect(try await publish([later]) == .published)
            #expect(try await publish(slots) == .superseded)
            #expect(try await world.sets.set("places", app: app).versions.keys.sorted() == ["more"])
        }
    }

    @Test("The rows of a table that a set no longer has go at the next import", arguments: StoreKind.allCases)
    func removedTable(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            var other = definition.tables[0]
            other.name = "others"
            _ = try await world.sets.put("places", .init(title: "P", tables: [other]), app: app)
            #expect(try await world.count("SELECT count(*) FROM content_rows") == 4)
            try await world.load("9,New,,,,,\n")
            #expect(try await world.count("SELECT count(*) FROM content_rows") == 1)
            #expect(try await world.count("SELECT count(*) FROM content_versions") == 1)
        }
    }

    @Test("The number of a version is drawn before its file is read", arguments: StoreKind.allCases)
    func numbers(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            await #expect(throws: ContentSetError.self) {
                try await world.sets.importFile(Array("x\n".utf8), .csv, table: nil, into: "places", app: app)
            }
            #expect(try await world.count("SELECT next FROM content_numbers") == 2)
            try await world.load(Self.rows)
            #expect(try await world.count("SELECT count(*) FROM content_versions") == 1)
        }
    }

    @Test("Near a point no row is left out for another one", arguments: StoreKind.allCases)
    func nearAll(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let rows = (1...600).map { "\($0),n,x,,,22.5,\(120 + Double($0) / 1_000)" }.joined(separator: "\n") + "\n"
            try await world.load(rows)
            let place = try #require(ContentPosition(latitude: 22.5, longitude: 120))
            let page = try await world.page { ($0.near, $0.part) = (.init(place, radius: 200_000), .page(1)) }
            #expect(page.total == 600 && page.items.map(World.id).prefix(3) == ["1", "2", "3"])
        }
    }
}
