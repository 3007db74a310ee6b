import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

enum ContentSourceColumn: Int, SQLColumn { case appID, setName, name, settings, state, secret, nextAt }

private enum DueContentSourceColumn: Int, SQLColumn { case appID, setName, name, isRealtime, isFailing }

private enum ContentFeedColumn: Int, SQLColumn { case format, fetchedAt, body }

/// Sources of content sets in SQL.
struct ContentSourceRepository {
    let database: any Database
}

extension ContentSourceRepository: ContentSourceStore {
    func put(
        _ source: ContentSource,
        secret: ContentSecretChange,
        at now: Timestamp
    ) async throws(StoreError) -> Result<ContentSource, ContentSetError> {
        try await database.write { connection in
            try connection.lock(.app(source.app))
            guard try connection.contentSets.set(source.set, app: source.app) != nil else { return .failure(.notFound) }
            let known = try connection.contentSources.source(source.name, of: source.set, app: source.app)
            if known == nil {
                let count = try connection.contentSources.count(of: source.set, app: source.app)
                guard count < ContentSource.maximumCount else {
                    return .failure(.tooMany("sources of a content set", limit: ContentSource.maximumCount))
                }
            }
            if secret == .keep, known?.secret == nil || known?.source.request.sendsSecret(as: source.request) != true {
                return .failure(
                    .invalid([FieldError(field: "clientSecret", problem: ContentSourceRequest.secretProblem)])
                )
            }
            return .success(try connection.contentSources.put(source, over: known, secret, at: now))
        }
    }

    func source(_ name: String, of set: String, app: AppID) async throws(StoreError) -> ContentSource? {
        try await database.read { connection in
            try connection.contentSources.source(name, of: set, app: app)?.source
        }
    }

    func sources(of set: String, app: AppID) async throws(StoreError) -> [ContentSource] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(ContentSourceColumn.list) FROM content_sources WHERE app_id = $1 AND set_name = $2
                ORDER BY name LIMIT $3
                """,
                app,
                set,
                ContentSource.maximumCount,
                read: StoredContentSource.init(row:)
            ).map(\.source)
        }
    }

    func deleteSource(_ name: String, of set: String, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.run(
                "DELETE FROM content_feeds WHERE app_id = $1 AND set_name = $2 AND name = $3",
                app,
                set,
                name
            )
            return try connection.run(
                "DELETE FROM content_sources WHERE app_id = $1 AND set_name = $2 AND name = $3",
                app,
                set,
                name
            ) == 1
        }
    }

    func makeDue(
        _ name: String,
        of set: String,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> ContentSource? {
        try await database.write { connection in
            try connection.run(
                """
                UPDATE content_sources SET next_at = $1
                WHERE app_id = $2 AND set_name = $3 AND name = $4 AND next_at > $1
                """,
                now,
                app,
                set,
                name
            )
            return try connection.contentSources.source(name, of: set, app: app)?.source
        }
    }

    func dueSources(
        at now: Timestamp,
        appLimit: Int,
        limit: Int
    ) async throws(StoreError) -> [WaitingContentSource] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(DueContentSourceColumn.list) FROM (
                    SELECT d.*, row_number() OVER (
                        PARTITION BY app_id, is_realtime, is_failing ORDER BY next_at) AS place
                    FROM (
                        SELECT app_id, set_name, name, is_failing, next_at, CASE WHEN
                            settings LIKE '%"format":"gtfs-realtime"%' OR settings LIKE '%"format":"tdx-arrivals"%'
                            THEN 1 ELSE 0 END AS is_realtime
                        FROM content_sources WHERE next_at <= $1 AND (claimed_until IS NULL OR claimed_until <= $1)
                    ) AS d
                ) AS n WHERE place <= $2 ORDER BY next_at LIMIT $3
                """,
                now,
                appLimit,
                limit
            ) { (row: SQLRow<DueContentSourceColumn>) in
                WaitingContentSource(
                    DueContentSource(app: try row[.appID], set: try row[.setName], name: try row[.name]),
                    isRealtime: try row[.isRealtime] as Int == 1,
                    isFailing: try row[.isFailing] as Int == 1
                )
            }
        }
    }

    func failingSourceCount() async throws(StoreError) -> Int {
        try await database.read { connection in
            try connection.first(
                "SELECT count(*) FROM (SELECT 1 FROM content_sources WHERE is_failing = 1 LIMIT 1001) AS f",
                as: Int.self
            ) ?? 0
        }
    }
}

// MARK: - Claims

extension ContentSourceRepository {
    func claim(
        _ due: DueContentSource,
        as claim: Int64,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> ClaimedContentSource? {
        try await database.write(priority: .bulk) { connection in
            let changed = try connection.run(
                """
                UPDATE content_sources SET claim = $1, claimed_until = $2
                WHERE app_id = $3 AND set_name = $4 AND name = $5 AND next_at <= $6
                    AND (claimed_until IS NULL OR claimed_until <= $6)
                """,
                claim,
                end,
                due.app,
                due.set,
                due.name,
                now
            )
            guard changed == 1, let stored = try connection.contentSources.source(due.name, of: due.set, app: due.app)
            else { return nil }
            return ClaimedContentSource(source: stored.source, sealedSecret: stored.secret, claim: claim)
        }
    }

    func renew(_ claimed: ClaimedContentSource, until end: Timestamp) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.run(
                """
                UPDATE content_sources SET claimed_until = $1
                WHERE app_id = $2 AND set_name = $3 AND name = $4 AND claim = $5
                """,
                end,
                claimed.source.app,
                claimed.source.set,
                claimed.source.name,
                claimed.claim
            ) == 1
        }
    }

    func complete(
        _ claimed: ClaimedContentSource,
        _ state: ContentSource.State,
        next: Timestamp,
        feed: ContentFeed?
    ) async throws(StoreError) -> Bool {
        let source = claimed.source
        return try await database.write(priority: .bulk) { connection in
            let changed = try connection.run(
                """
                UPDATE content_sources SET state = $1, is_failing = $2, claim = NULL, claimed_until = NULL, next_at = $3
                WHERE app_id = $4 AND set_name = $5 AND name = $6 AND claim = $7
                """,
                try JSONColumn(state),
                state.failures > 0 ? 1 : 0,
                next,
                source.app,
                source.set,
                source.name,
                claimed.claim
            )
            guard changed == 1 else { return false }
            if let feed { try connection.contentSources.save(feed, of: source) }
            return true
        }
    }
}

// MARK: - Feeds

extension ContentSourceRepository {
    func latestFeed(of set: String, app: AppID) async throws(StoreError) -> (name: String, fetchedAt: Timestamp)? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT name, fetched_at FROM content_feeds WHERE app_id = $1 AND set_name = $2
                ORDER BY fetched_at DESC LIMIT 1
                """,
                app,
                set,
                as: (String, Timestamp).self
            )
        }
    }

    func feed(_ name: String, of set: String, app: AppID) async throws(StoreError) -> ContentFeed? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT \(ContentFeedColumn.list) FROM content_feeds
                WHERE app_id = $1 AND set_name = $2 AND name = $3
                """,
                app,
                set,
                name
            ) { (row: SQLRow<ContentFeedColumn>) in
                let format: String = try row[.format]
                guard let format = ContentSourceFormat(rawValue: format) else {
                    throw StoreError.failed("A feed has a format that is none.")
                }
                return ContentFeed(format: format, fetchedAt: try row[.fetchedAt], body: try row[.body])
            }
        }
    }
}
