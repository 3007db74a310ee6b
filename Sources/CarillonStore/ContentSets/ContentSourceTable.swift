import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

/// A source with its secret.
struct StoredContentSource {
    var source: ContentSource
    var secret: [UInt8]?

    init(row: SQLRow<ContentSourceColumn>) throws {
        secret = try row[.secret]
        source = ContentSource(
            app: try row[.appID],
            set: try row[.setName],
            name: try row[.name],
            request: try row.json(.settings),
            hasSecret: secret != nil
        )
        source.state = try row.json(.state)
        source.nextAt = try row[.nextAt]
    }
}

/// Sources of content sets, in SQL on one connection.
struct ContentSourceTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var contentSources: ContentSourceTable { ContentSourceTable(connection: self) }
}

extension ContentSourceTable {
    func source(_ name: String, of set: String, app: AppID) throws -> StoredContentSource? {
        try connection.first(
            """
            SELECT \(ContentSourceColumn.list) FROM content_sources WHERE app_id = $1 AND set_name = $2 AND name = $3
            """,
            app,
            set,
            name,
            read: StoredContentSource.init(row:)
        )
    }

    func count(of set: String, app: AppID) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM content_sources WHERE app_id = $1 AND set_name = $2",
            app,
            set,
            as: Int.self
        ) ?? 0
    }

    /// Saves a source; what is known of a former address is forgotten.
    func put(
        _ source: ContentSource,
        over known: StoredContentSource?,
        _ change: ContentSecretChange,
        at now: Timestamp
    ) throws -> ContentSource {
        var source = source
        let secret: [UInt8]? =
            switch change {
            case .keep: known?.secret
            case .set(let sealed): sealed
            case .remove: nil
            }
        source.hasSecret = secret != nil
        if let known, known.source.request.hasSameData(as: source.request) { source.state = known.source.state }
        // Somebody has looked at it: the count of failures begins anew.
        (source.state.failures, source.state.problem) = (0, nil)
        source.nextAt = source.request.isActive ? now : nil
        try connection.run(
            """
            INSERT INTO content_sources (app_id, set_name, name, settings, state, secret, next_at, is_failing)
            VALUES ($1, $2, $3, $4, $5, $6, $7, 0)
            ON CONFLICT (app_id, set_name, name) DO UPDATE SET settings = excluded.settings, state = excluded.state,
                secret = excluded.secret, next_at = excluded.next_at, is_failing = 0, claim = NULL, claimed_until = NULL
            """,
            source.app,
            source.set,
            source.name,
            try JSONColumn(source.request),
            try JSONColumn(source.state),
            secret,
            source.nextAt
        )
        return source
    }

    func save(_ feed: ContentFeed, of source: ContentSource) throws {
        try connection.run(
            """
            INSERT INTO content_feeds (app_id, set_name, name, format, fetched_at, body) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (app_id, set_name, name) DO UPDATE SET format = excluded.format,
                fetched_at = excluded.fetched_at, body = excluded.body
            """,
            source.app,
            source.set,
            source.name,
            feed.format.rawValue,
            feed.fetchedAt,
            feed.body
        )
    }
}

extension ContentSourceRequest {
    /// Whether both fetch the same data into the same table, whatever their intervals are.
    func hasSameData(as other: ContentSourceRequest) -> Bool {
        (format, url, city, table) == (other.format, other.url, other.city, other.table)
    }
}
