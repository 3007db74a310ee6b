import CarillonContentSets
import CarillonModel
import Testing

/// Rows that take some time, on both databases.
extension ContentSetStoreTests {
    private static let shows = """
        id,begins,ends
        before,2026-11-20T10:00:00Z,2026-11-26T10:00:00Z
        into,2026-11-20T10:00:00Z,2026-11-26T10:00:01Z
        around,2026-11-20T10:00:00Z,2026-12-20T10:00:00Z
        first,2026-11-26T10:00:00Z,
        within,2026-11-26T11:00:00Z,2026-11-26T12:00:00Z
        out,2026-11-27T09:59:59Z,2026-11-29T10:00:00Z
        after,2026-11-27T10:00:00Z,2026-11-28T10:00:00Z
        endless,2026-11-20T10:00:00Z,
        never,,2026-11-26T12:00:00Z

        """

    @Test("Rows that are going on in a range of times are found with their end", arguments: StoreKind.allCases)
    func running(_ kind: StoreKind) async throws {
        let definition = ContentSetDefinition(
            title: "Shows",
            tables: [
                ContentTable(
                    "shows",
                    key: "id",
                    [ContentField("id", .text), ContentField("begins", .time), ContentField("ends", .time)]
                )
            ]
        )
        try await withSets(kind) { world in
            _ = try await world.sets.put("shows", definition, app: world.app)
            let file = Array(Self.shows.utf8)
            _ = try await world.sets.importFile(file, .csv, table: nil, into: "shows", app: world.app)
            func ids(_ from: String?, _ until: String?, end: String? = "ends") async throws -> Set<String> {
                var query = ContentQuery()
                query.times = .init(
                    field: "begins",
                    end: end,
                    from: from.flatMap { Timestamp($0) },
                    until: until.flatMap { Timestamp($0) }
                )
                let page = try await world.sets.page(query, table: nil, of: "shows", app: world.app)
                return Set(page.items.compactMap(World.id))
            }
            let (first, last) = ("2026-11-26T10:00:00Z", "2026-11-27T10:00:00Z")
            #expect(try await ids(first, last) == ["into", "around", "first", "within", "out"])
            #expect(try await ids(first, last, end: nil) == ["first", "within", "out"])
            #expect(try await ids(first, nil) == ["into", "around", "first", "within", "out", "after"])
            #expect(try await ids(nil, first) == ["before", "into", "around", "endless"])
            #expect(try await ids(nil, nil).count == 8)
        }
    }
}
