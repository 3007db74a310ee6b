import CarillonContentSets
import CarillonModel
import CarillonSQL

/// Statements of a query of a version's rows.
struct ContentStatement {
    let query: ContentQuery
    let version: ContentSet.Version
    let dialect: Dialect

    /// Places per version on PostgreSQL: see the migration.
    private static let versionWidth = 400.0
    /// Units of a degree on SQLite: see the migration.
    static let unitsPerDegree = 10_000_000.0
    /// Ids of a version on SQLite: see the migration.
    static let rowsPerVersion: Int64 = 1_048_576

    /// Rows after a number, in their order, with their documents.
    var rows: ComposedSQL {
        var sql = ComposedSQL(ofOurs: "SELECT r.number, r.document FROM content_rows r WHERE ")
        addVersion(to: &sql)
        sql.append(" AND r.number > ")
        sql.bind(.after)
        addConditions(to: &sql)
        sql.append(" ORDER BY r.number LIMIT ")
        sql.bind(.limit)
        return sql
    }

    /// Rows from a place on, counted among all that fit.
    func rows(offset: Int64) -> ComposedSQL {
        var sql = rows
        sql.append(" OFFSET ")
        sql.bind(.integer(offset))
        return sql
    }

    /// How many rows fit.
    var count: ComposedSQL {
        var sql = ComposedSQL(ofOurs: "SELECT count(*) FROM content_rows r WHERE ")
        addVersion(to: &sql)
        addConditions(to: &sql)
        return sql
    }

    /// The numbers and places of rows in a box.
    func places(in box: ContentBox) -> ComposedSQL {
        var sql = ComposedSQL()
        if dialect == .sqlite {
            sql.append(
                "SELECT r.number, r.latitude, r.longitude FROM content_places p CROSS JOIN content_rows r WHERE "
            )
            add("p.min_slot <= ", .integer(version.slot), to: &sql)
            add(" AND p.max_slot >= ", .integer(version.slot), to: &sql)
            add(" AND p.max_latitude >= ", .integer(units(box.south, .down)), to: &sql)
            add(" AND p.min_latitude <= ", .integer(units(box.north, .up)), to: &sql)
            add(" AND p.max_longitude >= ", .integer(units(box.west, .down)), to: &sql)
            add(" AND p.min_longitude <= ", .integer(units(box.east, .up)), to: &sql)
            add(" AND r.number = p.id - ", .integer(version.slot * Self.rowsPerVersion), to: &sql)
            sql.append(" AND ")
        } else {
            let shift = Double(version.slot % 65_536) * Self.versionWidth
            sql.append(
                """
                SELECT r.number, r.latitude, r.longitude FROM content_rows r WHERE r.latitude IS NOT NULL
                AND point(r.longitude + CAST(r.slot % 65536 AS DOUBLE PRECISION) * 400, r.latitude) <@ box(point(
                """
            )
            // Sums lose the last digits of a longitude.
            add("", .number(box.west + shift - 1e-7), to: &sql)
            add(", ", .number(box.south), to: &sql)
            add("), point(", .number(box.east + shift + 1e-7), to: &sql)
            add(", ", .number(box.north), to: &sql)
            sql.append(")) AND ")
        }
        addVersion(to: &sql)
        addConditions(to: &sql)
        sql.append(" LIMIT ")
        sql.bind(.limit)
        return sql
    }

    /// The documents of some rows.
    func documents(of numbers: [Int64]) -> ComposedSQL {
        var sql = ComposedSQL(ofOurs: "SELECT r.number, r.document FROM content_rows r WHERE ")
        addVersion(to: &sql)
        sql.append(" AND r.number IN (")
        sql.bind(list: numbers.map(SQLValue.integer))
        sql.append(") LIMIT ")
        sql.bind(.limit)
        return sql
    }

    // MARK: - Private

    private func units(_ degrees: Double, _ rule: FloatingPointRoundingRule) -> Int64 {
        Int64((degrees * Self.unitsPerDegree).rounded(rule))
    }

    private func add(_ text: SQL, _ value: SQLValue, to sql: inout ComposedSQL) {
        sql.append(text)
        sql.bind(value)
    }

    private func addVersion(to sql: inout ComposedSQL) {
        sql.append("r.app_id = ")
        sql.bind(.app)
        add(" AND r.slot = ", .integer(version.slot), to: &sql)
    }

    private func addConditions(to sql: inout ComposedSQL) {
        for equality in query.equalities {
            if equality.field == version.table.key {
                sql.append(" AND r.name IN (")
                sql.bind(list: equality.values.map(SQLValue.text))
                sql.append(")")
            } else if let field = version.table.index(of: equality.field) {
                addTerms(field, equality.values.map(ContentValue.term), to: &sql)
            }
        }
        for term in SearchTerms.terms(ofQuery: query.words ?? "").sorted() {
            addTerms(StoredContentRow.wordsField, [term], to: &sql)
        }
        addTimes(to: &sql)
    }

    private func addTimes(to sql: inout ComposedSQL) {
        guard let times = query.times, let field = version.table.index(of: times.field) else { return }
        let end = times.end.flatMap { version.table.index(of: $0) }
        sql.append(" AND r.number IN (")
        addTimes(field, from: end == nil ? times.from : nil, until: times.until, to: &sql)
        sql.append(")")
        // What begins before the end of the range is in it when it begins there too, or ends later than the range begins.
        guard let end, let from = times.from else { return }
        sql.append(" AND r.number IN (")
        addTimes(field, from: from, until: nil, to: &sql)
        sql.append(" UNION ALL ")
        addTimes(end, from: Timestamp(rawValue: from.rawValue + 1), until: nil, to: &sql)
        sql.append(")")
    }

    private func addTimes(_ field: Int, from: Timestamp?, until: Timestamp?, to sql: inout ComposedSQL) {
        sql.append("SELECT t.number FROM content_times t WHERE t.app_id = ")
        sql.bind(.app)
        add(" AND t.slot = ", .integer(version.slot), to: &sql)
        add(" AND t.field = ", .integer(Int64(field)), to: &sql)
        add(" AND t.at >= ", .integer(from?.rawValue ?? 0), to: &sql)
        add(" AND t.at < ", .integer(until?.rawValue ?? .max), to: &sql)
    }

    private func addTerms(_ field: Int, _ terms: [String], to sql: inout ComposedSQL) {
        sql.append(" AND r.number IN (SELECT t.number FROM content_terms t WHERE t.app_id = ")
        sql.bind(.app)
        add(" AND t.slot = ", .integer(version.slot), to: &sql)
        add(" AND t.field = ", .integer(Int64(field)), to: &sql)
        sql.append(" AND t.term IN (")
        sql.bind(list: terms.map(SQLValue.text))
        sql.append("))")
    }
}
