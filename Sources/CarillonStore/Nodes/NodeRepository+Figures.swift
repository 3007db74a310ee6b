import CarillonEngine
import CarillonModel
import CarillonSQL
import Foundation

extension NodeRepository {
    func work(at now: Timestamp) async throws(StoreError) -> WorkFigures {
        try await database.read { connection in
            var figures = WorkFigures()
            let bound = WorkFigures.limit + 1
            figures.dueWaves = try connection.nodes.count(
                "SELECT COUNT(*) FROM (SELECT 1 FROM waves WHERE wake_at <= $1 LIMIT $2) AS due LIMIT 1",
                now,
                bound
            )
            figures.oldestWave = try connection.first(
                "SELECT wake_at FROM waves WHERE wake_at <= $1 ORDER BY wake_at LIMIT 1",
                now,
                as: Timestamp.self
            )
            figures.leasedChunks =
                try connection.first(
                    "SELECT COUNT(*) FROM (SELECT 1 FROM chunks WHERE owner IS NOT NULL LIMIT $1) AS held LIMIT 1",
                    bound,
                    as: Int.self
                ) ?? 0
            figures.freeChunks = try connection.nodes.count(
                """
                SELECT COUNT(*) FROM (SELECT 1 FROM chunks WHERE owner IS NULL AND free_at <= $1 LIMIT $2) AS free LIMIT 1
                """,
                now,
                bound
            )
            (figures.soonRetries, figures.nextRetry) = try connection.nodes.retries(at: now, limit: bound)
            return figures
        }
    }

    func figures() async throws(StoreError) -> StoreFigures {
        var figures = try await database.read { connection in
            connection.dialect == .sqlite
                ? try connection.nodes.fileFigures() : try connection.nodes.serverFigures()
        }
        figures.slow = (database.statementTimes?.slowest(10) ?? []).map {
            SlowStatement(text: $0.text, runs: $0.runs, longest: $0.longest, total: $0.total)
        }
        return figures
    }
}

extension NodeTable {
    /// Runs a statement that counts, for a time and a bound.
    fileprivate func count(_ sql: SQL, _ time: Timestamp, _ bound: Int) throws -> Int {
        try connection.first(sql, time, bound, as: Int.self) ?? 0
    }

    /// What is tried again within a minute, of the Occurrences whose next retry is then.
    fileprivate func retries(at now: Timestamp, limit: Int) throws -> (count: Int, next: Timestamp?) {
        let soon = now.advanced(by: .seconds(60))
        let waves = try connection.all(
            """
            SELECT app_id, occurrence_id, retry_at FROM waves WHERE wake_at <= $1 AND retry_at <= $1
            ORDER BY wake_at LIMIT 50
            """,
            soon,
            as: (AppID, OccurrenceID, Timestamp).self
        )
        var count = 0
        for (app, occurrence, _) in waves where count < limit {
            count +=
                try connection.first(
                    """
                    SELECT COUNT(*) FROM (
                        SELECT 1 FROM retries WHERE app_id = $1 AND occurrence_id = $2 AND due_at <= $3 LIMIT $4) AS soon
                    LIMIT 1
                    """,
                    app,
                    occurrence,
                    soon,
                    limit - count,
                    as: Int.self
                ) ?? 0
        }
        return (count, waves.map(\.2).min())
    }

    fileprivate func fileFigures() throws -> StoreFigures {
        var figures = StoreFigures()
        let version = try connection.first("SELECT sqlite_version() LIMIT 1", as: String.self)
        figures.kind = "SQLite " + (version ?? "")
        figures.bytes =
            try connection.first(
                "SELECT c.page_count * s.page_size FROM pragma_page_count() c, pragma_page_size() s LIMIT 1",
                as: Int.self
            ) ?? 0
        let found = try connection.first(
            "SELECT COALESCE(file, '') FROM pragma_database_list() WHERE name = 'main' LIMIT 1",
            as: String.self
        )
        if let path = found, !path.isEmpty {
            let facts = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
            figures.logBytes = (facts?[.size] as? NSNumber)?.intValue
        }
        return figures
    }

    fileprivate func serverFigures() throws -> StoreFigures {
        var figures = StoreFigures()
        let version = try connection.first("SELECT current_setting('server_version') LIMIT 1", as: String.self)
        figures.kind = "PostgreSQL " + (version ?? "")
        figures.bytes =
            try connection.first(
                "SELECT pg_database_size(current_database()) LIMIT 1",
                as: Int.self
            ) ?? 0
        figures.archivedAt =
            try connection.first(
                "SELECT CAST(extract(epoch FROM last_archived_time) * 1000 AS BIGINT) FROM pg_stat_archiver LIMIT 1",
                as: Timestamp?.self
            ) ?? nil
        figures.partitions = try connection.all(
            """
            SELECT CAST(c.relname AS TEXT), pg_total_relation_size(c.oid) FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind = 'r' ORDER BY c.relname DESC LIMIT 40
            """,
            as: (String, Int).self
        ).map { StoreFigures.Partition(name: $0, bytes: $1) }
        return figures
    }
}
