import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

private enum ContentPlaceColumn: Int, SQLColumn { case number, document, latitude, longitude }

/// Queries of rows.
extension ContentSetRepository {
    /// Rows that are read into memory in one reading.
    private static let placesAtOnce = 2_000

    func page(
        _ query: ContentQuery,
        of version: ContentSet.Version,
        app: AppID
    ) async throws(StoreError) -> ContentPage {
        if let near = query.near, query.isOfPlacesAlone, let source = try await cachedPlaces(version, app) {
            return NearReading(query: query, version: version, source: source).page(near: near)
        }
        return try await database.read { connection in
            let reading = ContentReading(connection: connection, query: query, version: version, app: app)
            if let near = query.near {
                return try NearReading(query: query, version: version, source: reading).page(near: near)
            }
            switch query.part {
            case .after(let cursor): return try reading.page(after: cursor?.place ?? 0)
            case .page(let number): return try reading.page(number: number)
            }
        }
    }

    /// The version's places in memory, when it is searched often.
    private func cachedPlaces(_ version: ContentSet.Version, _ app: AppID) async throws(StoreError) -> ContentPlaces? {
        let key = ContentPlaceCache.Key(app: app, slot: version.slot)
        switch places.step(key) {
        case .use(let places): return places
        case .ask: return nil
        case .load: break
        }
        do throws(StoreError) {
            guard let read = try await readPlaces(key) else {
                places.giveUp(key)
                return nil
            }
            places.save(read, as: key)
            return read
        } catch {
            places.release(key)
            throw error
        }
    }

    /// - Returns: `nil` for more than fit into memory, and for a version that is being removed.
    private func readPlaces(_ key: ContentPlaceCache.Key) async throws(StoreError) -> ContentPlaces? {
        var rows: [ContentPlaces.Row] = []
        var size = 0
        while true {
            let after = rows.last?.number ?? 0
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
                ) { (row: SQLRow<ContentPlaceColumn>) -> ContentPlaces.Row? in
                    try ContentPosition(latitude: row[.latitude], longitude: row[.longitude]).map {
                        try ContentPlaces.Row(number: row[.number], place: $0, document: row[.document])
                    }
                }
            }.compactMap(\.self)
            rows += part
            size += part.reduce(0) { $0 + $1.document.utf8.count + 128 }
            guard size <= ContentPlaceCache.maximumVersionSize else { return nil }
            guard part.count == Self.placesAtOnce else { break }
        }
        // Rows are removed only after the version was given up.
        let isThere = try await database.read { connection in
            try connection.first(
                "SELECT 1 FROM content_versions WHERE app_id = $1 AND slot = $2 AND state IN ($3, $4) LIMIT 1",
                key.app,
                key.slot,
                ContentSetTable.State.current.rawValue,
                ContentSetTable.State.previous.rawValue
            ) { _ in true } ?? false
        }
        return isThere ? ContentPlaces(rows) : nil
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

    func places(in box: ContentBox, within radius: Double, of center: ContentPosition) throws -> [FoundPlace] {
        try read(statement.places(in: box), limit: Self.maximumPlaceCount) { row -> FoundPlace? in
            let place = ContentPosition(latitude: row.double(1), longitude: row.double(2))
            let distance = place.map { center.distance(to: $0) } ?? .infinity
            return distance <= radius ? FoundPlace(number: row.int64(0), distance: distance) : nil
        }.compactMap(\.self)
    }

    func documents(of numbers: [Int64]) throws -> [Int64: String] {
        guard !numbers.isEmpty else { return [:] }
        let limit = Int64(numbers.count)
        let rows = try read(statement.documents(of: numbers), limit: limit) { ($0.int64(0), $0.string(1)) }
        return Dictionary(rows) { first, _ in first }
    }
}
