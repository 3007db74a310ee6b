import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

/// Queries of rows.
extension ContentSetRepository {
    func page(
        _ query: ContentQuery,
        of version: ContentSet.Version,
        app: AppID
    ) async throws(StoreError) -> ContentPage {
        try await database.read { connection in
            let reading = ContentReading(connection: connection, query: query, version: version, app: app)
            if let near = query.near { return try reading.page(near: near) }
            switch query.part {
            case .after(let cursor): return try reading.page(after: cursor?.place ?? 0)
            case .page(let number): return try reading.page(number: number)
            }
        }
    }
}

/// A query on one connection.
private struct ContentReading {
    /// Maximum number of places that are compared for one query.
    private static let maximumPlaceCount: Int64 = 100_000
    /// The first radius that is tried, in metres; each next one is twice as large.
    private static let firstRadius = 250.0

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
        let next = rows.count > query.limit ? shown.last.map { cursor($0.0) } : nil
        return ContentPage(items: shown.map { .init(document: $0.1) }, next: next)
    }

    func page(number: Int) throws -> ContentPage {
        let offset = Int64((number - 1) * query.limit)
        let rows = try read(statement.rows(offset: offset), after: 0, limit: Int64(query.limit)) { $0.string(1) }
        let total = try read(statement.count, limit: 1) { $0.int(0) }.first
        return ContentPage(items: rows.map { .init(document: $0) }, next: nil, total: total)
    }

    func page(near: ContentQuery.Near) throws -> ContentPage {
        let offset: Int
        let isNumbered: Bool
        switch query.part {
        case .after(let cursor): (offset, isNumbered) = (Int(cursor?.place ?? 0), false)
        case .page(let number): (offset, isNumbered) = ((number - 1) * query.limit, true)
        }
        let needed = isNumbered ? Int.max : offset + query.limit + 1
        let found = try nearest(near, needed: needed)
        let shown = found.dropFirst(offset).prefix(query.limit)
        let documents = try documents(of: shown.map(\.number))
        let items = shown.compactMap { place in
            documents[place.number].map { ContentPage.Item(document: $0, distance: place.distance) }
        }
        let end = offset + shown.count
        let next = !isNumbered && found.count > end ? cursor(Int64(end)) : nil
        return ContentPage(items: items, next: next, total: isNumbered ? found.count : nil)
    }

    // MARK: - Private

    private typealias Place = (number: Int64, distance: Double)

    /// Rows near a point, the nearest first: at least as many as are needed, or all within the radius.
    private func nearest(_ near: ContentQuery.Near, needed: Int) throws -> [Place] {
        var radius = needed == .max ? near.radius : min(near.radius, Self.firstRadius)
        while true {
            var places: [Place] = []
            for box in near.place.boxes(within: radius) {
                places += try read(statement.places(in: box), limit: Self.maximumPlaceCount) { row -> Place? in
                    let place = ContentPosition(latitude: row.double(1), longitude: row.double(2))
                    return place.map { (row.int64(0), near.place.distance(to: $0)) }
                }.compactMap(\.self)
            }
            // At the date line a place may be in two boxes.
            var seen: Set<Int64> = []
            let inside = places.filter { $0.distance <= radius && seen.insert($0.number).inserted }
            if inside.count >= needed || radius >= near.radius {
                return inside.sorted { ($0.distance, $0.number) < ($1.distance, $1.number) }
            }
            radius = min(near.radius, 2 * radius)
        }
    }

    private func documents(of numbers: [Int64]) throws -> [Int64: String] {
        guard !numbers.isEmpty else { return [:] }
        let limit = Int64(numbers.count)
        let rows = try read(statement.documents(of: numbers), limit: limit) { ($0.int64(0), $0.string(1)) }
        return Dictionary(rows) { first, _ in first }
    }

    private func cursor(_ place: Int64) -> ContentCursor { ContentCursor(slot: version.slot, place: place) }

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
