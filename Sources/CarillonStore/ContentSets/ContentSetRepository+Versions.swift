import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

/// Versions of tables: written row by row, published at once.
extension ContentSetRepository {
    func begin(
        _ table: ContentTable,
        of set: String,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> Int64 {
        try await database.write(priority: .bulk) { connection in
            let slot = try connection.first(
                """
                INSERT INTO content_numbers (id, next) VALUES (0, 1)
                ON CONFLICT (id) DO UPDATE SET next = content_numbers.next + 1 RETURNING next
                """,
                as: Int64.self
            )
            guard let slot else { throw StoreError.failed("There is no number for a version.") }
            try connection.run(
                """
                INSERT INTO content_versions
                    (app_id, slot, set_name, table_name, definition, state, row_count, begun_at)
                VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
                """,
                app,
                slot,
                set,
                table.name,
                try JSONColumn(table),
                ContentSetTable.State.loading.rawValue,
                now
            )
            return slot
        }
    }

    func append(_ rows: [StoredContentRow], to slot: Int64, app: AppID) async throws(StoreError) {
        try await database.write(priority: .bulk) { connection in
            let state = try connection.first(
                "SELECT state FROM content_versions WHERE app_id = $1 AND slot = $2",
                app,
                slot,
                as: Int64.self
            )
            guard state == ContentSetTable.State.loading.rawValue else {
                throw StoreError.failed("The version of the content set was given up.")
            }
            for row in rows { try connection.contentSets.insert(row, slot: slot, app: app) }
        }
    }

    func changes(
        from current: Int64?,
        to slot: Int64,
        app: AppID
    ) async throws(StoreError) -> ContentChanges {
        var (counts, after): (ContentChanges, Int64?) = (ContentChanges(), 0)
        while let first = after {
            guard !Task.isCancelled else { throw .unavailable("The comparison of versions was cancelled.") }
            let newsLimit = current == nil ? 0 : ContentAlert.maximumRowCount + 1 - counts.news.rows.count
            let part = try await database.read { connection in
                let part = try connection.contentSets.compare(current ?? 0, slot, after: first, app: app)
                var news = ContentNews()
                guard let current else { return (part, news) }
                if part.imported > 0, newsLimit > 0 {
                    news.rows = try connection.contentSets.news(current, slot, after: first, limit: newsLimit, app: app)
                }
                if part.gone > 0 { news.gone = try connection.contentSets.gone(current, slot, after: first, app: app) }
                return (part, news)
            }
            counts.imported += part.0.imported
            counts.changed += part.0.changed
            counts.gone += part.0.gone
            counts.news.rows += part.1.rows
            counts.news.gone += part.1.gone.prefix(max(0, ContentAlert.maximumRowCount - counts.news.gone.count))
            after = part.0.next
        }
        return counts
    }

    func publish(
        _ slots: [Int64],
        of set: String,
        app: AppID,
        over compared: [String: Int64],
        rowCounts: [Int64: Int],
        news: [Int64: ContentNews],
        at now: Timestamp
    ) async throws(StoreError) -> ContentPublication {
        try await database.write { connection in
            try connection.lock(.app(app))
            guard let known = try connection.contentSets.set(set, app: app) else { return .gone }
            let tables = try slots.map { try connection.contentSets.loadingTable(of: $0, app: app) }
            // A node that was frozen for a while has an older file. Nothing is published before all are checked.
            let isLate = zip(slots, tables).contains { slot, table in (known.versions[table]?.slot ?? 0) > slot }
            guard !isLate else { return .superseded }
            guard compared.allSatisfy({ table, slot in (known.versions[table]?.slot ?? 0) == slot }) else {
                return .outdated
            }
            for (slot, table) in zip(slots, tables) {
                try connection.contentSets.publish(
                    slot,
                    table: table,
                    of: set,
                    app: app,
                    rowCount: rowCounts[slot] ?? 0,
                    at: now
                )
                try connection.contentAlerts.begin(
                    news[slot] ?? ContentNews(),
                    of: slot,
                    table: table,
                    set: set,
                    app: app,
                    at: now
                )
            }
            for table in known.versions.keys where known.definition.table(table) == nil {
                try connection.contentSets.drop(table, of: set, app: app)
            }
            return .published
        }
    }

    func discard(_ slots: [Int64], app: AppID) async throws(StoreError) {
        guard !slots.isEmpty else { return }
        try await database.write { connection in
            for slot in slots {
                try connection.run(
                    "UPDATE content_versions SET state = $1 WHERE app_id = $2 AND slot = $3 AND state = $4",
                    ContentSetTable.State.dropped.rawValue,
                    app,
                    slot,
                    ContentSetTable.State.loading.rawValue
                )
            }
        }
    }

    func dropUnused(app: AppID, before: Timestamp) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            guard let slot = try connection.contentSets.unusedVersion(app: app, before: before) else {
                return try connection.contentFollows.removeOrphans(app: app, before: before)
            }
            // One that was begun long ago is no longer written to while its rows are removed.
            try connection.run(
                "UPDATE content_versions SET state = $1 WHERE app_id = $2 AND slot = $3",
                ContentSetTable.State.dropped.rawValue,
                app,
                slot
            )
            try connection.contentSets.removeRows(of: slot, app: app)
            return true
        }
    }

    func version(
        _ slot: Int64,
        of set: String,
        table: String,
        app: AppID
    ) async throws(StoreError) -> ContentSet.Version? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT \(ContentVersionColumn.list) FROM content_versions
                WHERE app_id = $1 AND slot = $2 AND set_name = $3 AND table_name = $4 AND state IN ($5, $6)
                """,
                app,
                slot,
                set,
                table,
                ContentSetTable.State.current.rawValue,
                ContentSetTable.State.previous.rawValue
            ) { (row: SQLRow<ContentVersionColumn>) in try ContentSet.Version(row: row, decoded) }
        }
    }
}
