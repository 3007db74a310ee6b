import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

private enum ContentPlaceColumn: Int, SQLColumn { case number, document, latitude, longitude }

private enum ContentPlaceTableColumn: Int, SQLColumn { case setName, tableName, rowCount }

/// Queries of rows.
extension ContentSetRepository {
    /// Rows that are read into memory in one reading.
    private static let placesAtOnce = 2_000
    /// Bytes of a row, before it is read.
    private static let expectedRowSize = 256

    func page(
        _ query: ContentQuery,
        of version: ContentSet.Version,
        app: AppID
    ) async throws(StoreError) -> ContentPage {
        if let near = query.near { return try await page(query, near: near, of: version, app: app) }
        return try await database.read { connection in
            let reading = ContentReading(connection: connection, query: query, version: version, app: app)
            switch query.part {
            case .after(let cursor): return try reading.page(after: cursor?.place ?? 0)
            case .page(let number): return try reading.page(number: number)
            }
        }
    }

    private func page(
        _ query: ContentQuery,
        near: ContentQuery.Near,
        of version: ContentSet.Version,
        app: AppID
    ) async throws(StoreError) -> ContentPage {
        let key = NearTotals.Key(query, app: app, slot: version.slot)
        let total = key.flatMap(totals.total)
        let page: ContentPage
        if query.isOfPlacesAlone, let source = await cachedPlaces(version, app) {
            page = NearReading(query: query, version: version, source: source).page(near: near, total: total)
        } else {
            page = try await database.read { connection in
                let reading = ContentReading(connection: connection, query: query, version: version, app: app)
                return try NearReading(query: query, version: version, source: reading).page(near: near, total: total)
            }
        }
        if let key, total == nil, let total = page.total { totals.save(total, of: key) }
        return page
    }

    /// The version's places in memory, when it is searched often.
    private func cachedPlaces(_ version: ContentSet.Version, _ app: AppID) async -> ContentPlaces? {
        let key = ContentPlaceCache.Key(app: app, slot: version.slot)
        switch places.step(key) {
        case .use(let places): return places
        case .ask: return nil
        case .consider: break
        }
        do throws(StoreError) {
            guard let (table, rowCount) = try await placeTable(key),
                places.mayRead(key, of: table, size: rowCount * Self.expectedRowSize),
                let read = try await readPlaces(key)
            else {
                places.giveUp(key)
                return nil
            }
            places.save(read, as: key, of: table)
            return read
        } catch {
            // The search asks the database; a later one may read the version.
            places.release(key)
            return nil
        }
    }

    /// - Returns: `nil` for a version that is being removed.
    private func placeTable(
        _ key: ContentPlaceCache.Key
    ) async throws(StoreError) -> (PlaceAdmission.Table, rowCount: Int)? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT \(ContentPlaceTableColumn.list) FROM content_versions
                WHERE app_id = $1 AND slot = $2 AND state IN ($3, $4) LIMIT 1
                """,
                key.app,
                key.slot,
                ContentSetTable.State.current.rawValue,
                ContentSetTable.State.previous.rawValue
            ) { (row: SQLRow<ContentPlaceTableColumn>) -> (PlaceAdmission.Table, rowCount: Int) in
                let table = PlaceAdmission.Table(app: key.app, set: try row[.setName], name: try row[.tableName])
                return (table, rowCount: try row[.rowCount])
            }
        }
    }

    /// - Returns: `nil` for more than fit into memory, and for a version that is being removed.
    private func readPlaces(_ key: ContentPlaceCache.Key) async throws(StoreError) -> ContentPlaces? {
        var rows: [ContentPlaces.Row] = []
        var (size, last) = (0, Int64(0))
        while true {
            let after = last
            let part = try await database.read { connection in
                try connection.all(
                    """
                    SELECT \(ContentPlaceColumn.list) FROM content_rows
                    WHERE app_id = $1 AND slot = $2 AND number > $3 AND latitude IS NOT NULL ORDER BY number LIMIT $4
                    """,
                    key.app,
                    key.slot,
                    after,
                    Self.placesAtOnce
                ) { (row: SQLRow<ContentPlaceColumn>) -> (number: Int64, row: ContentPlaces.Row?) in
                    let number: Int64 = try row[.number]
                    let place = try ContentPosition(latitude: row[.latitude], longitude: row[.longitude])
                    let document: String = try row[.document]
                    return (number, place.map { ContentPlaces.Row(number: number, place: $0, document: document) })
                }
            }
            let found = part.compactMap(\.row)
            rows += found
            size += found.reduce(0) { $0 + $1.document.utf8.count + ContentPlaces.rowSize }
            guard size <= places.maximumVersionSize else { return nil }
            // A row that has no place on earth counts: others may follow it.
            guard part.count == Self.placesAtOnce, let end = part.last else { break }
            last = end.number
        }
        // Rows are removed only after the version was given up.
        return try await placeTable(key) == nil ? nil : ContentPlaces(rows)
    }
}

extension ContentQuery {
    /// Whether rows have to be near a point, and nothing else.
    fileprivate var isOfPlacesAlone: Bool { equalities.isEmpty && times == nil && words == nil }
}

/// A query on one connection.
private struct ContentReading {
    /// No query leaves a place out: a limit would cut off any of them, not the farthest.
    private static let maximumPlaceCount = Int64(ContentTable.maximumRowCount)

    let connection: any SQLConnection
    let query: ContentQuery
    let version: ContentSet.Version
    let app: AppID

    private var statement: ContentStatement {
        ContentStatement(query: query, version: version, dialect: connection.dialect)
    }

    func page(after place: Int64) throws -> ContentPage {
        let rows = try read(statement.rows, after: place, limit: Int64(query.limit) + 1) { ($0.int64(0), $0.string(1)) }
        let shown = rows.prefix(query.limit)
        let next =
            rows.count > query.limit ? shown.last.map { ContentCursor(slot: version.slot, place: $0.0) } : nil
        return ContentPage(items: shown.map { .init(document: $0.1) }, next: next)
    }

    func page(number: Int) throws -> ContentPage {
        let offset = Int64((number - 1) * query.limit)
        let rows = try read(statement.rows(offset: offset), after: 0, limit: Int64(query.limit)) { $0.string(1) }
        let total = try read(statement.count, limit: 1) { $0.int(0) }.first
        return ContentPage(items: rows.map { .init(document: $0) }, next: nil, total: total)
    }

    // MARK: - Private

    private func read<Value>(
        _ sql: ComposedSQL,
        after: Int64 = 0,
        limit: Int64,
        _ body: (any SQLStatement) -> Value
    ) throws -> [Value] {
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        sql.bind(to: statement) { slot in
            switch slot {
            case .app: app.rawValue
            case .after: after
            case .limit: limit
            case .through: .max
            }
        }
        var values: [Value] = []
        while try statement.next() { values.append(body(statement)) }
        return values
    }
}

extension ContentReading: ContentPlaceSource {
    typealias Failure = any Error

    /// Most queries need few rows, and a box of the index is read as a whole.
    func firstRadius(of near: ContentQuery.Near, needed: Int) -> Double { min(near.radius, 250) }

    func places(
        in box: ContentBox,
        within radius: Double,
        of center: ContentPosition,
        needed: Int
    ) throws -> [FoundPlace] {
        try read(statement.places(in: box), limit: Self.maximumPlaceCount) { row -> FoundPlace? in
            let place = ContentPosition(latitude: row.double(1), longitude: row.double(2))
            let distance = place.map { center.distance(to: $0) } ?? .infinity
            return distance <= radius ? FoundPlace(number: row.int64(0), distance: distance) : nil
        }.compactMap(\.self)
    }

    func documents(of places: ArraySlice<FoundPlace>) throws -> [String?] {
        guard !places.isEmpty else { return [] }
        let limit = Int64(places.count)
        let rows = try read(statement.documents(of: places.map(\.number)), limit: limit) { ($0.int64(0), $0.string(1)) }
        let documents = Dictionary(rows) { first, _ in first }
        return places.map { documents[$0.number] }
    }
}
