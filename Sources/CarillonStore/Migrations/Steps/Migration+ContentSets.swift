import CarillonSQL

extension Migration {
    /// Content sets: definitions, versions of their tables, and rows with what they are looked up by.
    ///
    /// `content_versions.state` is 0 while rows are written, 1 for the current version, 2 for the one before, 3 for one
    /// whose rows are being removed. `content_terms.field` is a field's place in the table, -1 for the words of the full
    /// text search. `content_numbers` has the next number of a version, which no two of any Apps share: it tells apart
    /// the places of all of them in one index.
    static let contentSets = Migration(name: "0008 content sets") { dialect in
        """
        CREATE TABLE content_sets (
            app_id BIGINT NOT NULL,
            name \(dialect.text) NOT NULL,
            definition \(dialect.text) NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, name)
        ) \(dialect.clustered);
        CREATE TABLE content_versions (
            app_id BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            table_name \(dialect.text) NOT NULL,
            definition \(dialect.text) NOT NULL,
            state BIGINT NOT NULL,
            row_count BIGINT NOT NULL,
            begun_at BIGINT NOT NULL,
            published_at BIGINT,
            PRIMARY KEY (app_id, slot)
        ) \(dialect.clustered);
        CREATE INDEX content_versions_by_set ON content_versions (app_id, set_name, table_name, state);
        CREATE TABLE content_rows (
            app_id BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            number BIGINT NOT NULL,
            name \(dialect.text) NOT NULL,
            document \(dialect.text) NOT NULL,
            latitude DOUBLE PRECISION,
            longitude DOUBLE PRECISION,
            PRIMARY KEY (app_id, slot, number)
        );
        CREATE UNIQUE INDEX content_rows_by_name ON content_rows (app_id, slot, name);
        CREATE TABLE content_terms (
            app_id BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            field BIGINT NOT NULL,
            term \(dialect.text) NOT NULL,
            number BIGINT NOT NULL,
            PRIMARY KEY (app_id, slot, field, term, number)
        ) \(dialect.clustered);
        CREATE TABLE content_times (
            app_id BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            field BIGINT NOT NULL,
            at BIGINT NOT NULL,
            number BIGINT NOT NULL,
            PRIMARY KEY (app_id, slot, field, at, number)
        ) \(dialect.clustered);
        CREATE TABLE content_runs (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            report \(dialect.text) NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE INDEX content_runs_by_set ON content_runs (app_id, set_name, id);
        CREATE TABLE content_numbers (
            id BIGINT NOT NULL PRIMARY KEY,
            next BIGINT NOT NULL
        ) \(dialect.clustered);
        \(dialect == .sqlite ? sqlitePlaces : postgreSQLPlaces)
        \(contentSources(dialect))
        \(contentFollows(dialect))
        \(dialect == .postgreSQL ? estimates : "")
        """
    }

    /// Who follows what, and what is still to be told.
    ///
    /// `content_follow_keys.term` is a key of `FollowKeys`, `user_hash` keeps the follows of a User together and is -1
    /// for audiences. `content_announced` has the rows that were told of, so that one that is gone for a while is no news.
    private static func contentFollows(_ dialect: Dialect) -> String {
        """
        CREATE TABLE content_alerts (
            app_id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            table_name \(dialect.text) NOT NULL,
            settings \(dialect.text) NOT NULL,
            state \(dialect.text) NOT NULL,
            PRIMARY KEY (app_id, set_name, table_name)
        ) \(dialect.clustered);
        CREATE TABLE content_follows (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            name \(dialect.text) NOT NULL,
            table_name \(dialect.text) NOT NULL,
            user_id \(dialect.text),
            audience \(dialect.text),
            query \(dialect.text) NOT NULL,
            is_bundled BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            user_hash BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX content_follows_by_name ON content_follows (app_id, set_name, name);
        CREATE INDEX content_follows_by_user ON content_follows (app_id, user_id, set_name, name);
        CREATE TABLE content_follow_keys (
            app_id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            table_name \(dialect.text) NOT NULL,
            term \(dialect.text) NOT NULL,
            user_hash BIGINT NOT NULL,
            follow_id BIGINT NOT NULL,
            PRIMARY KEY (app_id, set_name, table_name, term, user_hash, follow_id)
        ) \(dialect.clustered);
        CREATE INDEX content_follow_keys_by_follow ON content_follow_keys (app_id, follow_id);
        CREATE TABLE content_new_rows (
            app_id BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            number BIGINT NOT NULL,
            PRIMARY KEY (app_id, slot, number)
        ) \(dialect.clustered);
        CREATE TABLE content_announced (
            app_id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            table_name \(dialect.text) NOT NULL,
            name \(dialect.text) NOT NULL,
            at BIGINT NOT NULL,
            PRIMARY KEY (app_id, set_name, table_name, name)
        ) \(dialect.clustered);
        CREATE INDEX content_announced_by_time ON content_announced (app_id, at);
        CREATE TABLE content_alert_runs (
            app_id BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            table_name \(dialect.text) NOT NULL,
            number BIGINT NOT NULL,
            user_hash BIGINT NOT NULL,
            follow_id BIGINT NOT NULL,
            began_at BIGINT NOT NULL,
            served_at BIGINT NOT NULL,
            claim BIGINT,
            claimed_until BIGINT,
            PRIMARY KEY (app_id, slot)
        ) \(dialect.clustered);
        CREATE INDEX content_alert_runs_by_time ON content_alert_runs (served_at, slot);
        CREATE TABLE content_bundles (
            app_id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            table_name \(dialect.text) NOT NULL,
            due_at BIGINT NOT NULL,
            user_id \(dialect.text) NOT NULL,
            name \(dialect.text) NOT NULL,
            PRIMARY KEY (app_id, set_name, table_name, due_at, user_id, name)
        ) \(dialect.clustered);
        CREATE INDEX content_bundles_by_time ON content_bundles (due_at, app_id, set_name, table_name);
        CREATE INDEX content_bundles_by_user ON content_bundles (app_id, user_id);
        """
    }

    /// Where the data of content sets is fetched, and what vehicles told last.
    private static func contentSources(_ dialect: Dialect) -> String {
        """
        CREATE TABLE content_sources (
            app_id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            name \(dialect.text) NOT NULL,
            settings \(dialect.text) NOT NULL,
            state \(dialect.text) NOT NULL,
            secret \(dialect.bytes),
            next_at BIGINT,
            is_failing BIGINT NOT NULL,
            claim BIGINT,
            claimed_until BIGINT,
            PRIMARY KEY (app_id, set_name, name)
        ) \(dialect.clustered);
        CREATE INDEX content_sources_by_time ON content_sources (next_at) WHERE next_at IS NOT NULL;
        CREATE INDEX content_sources_failing ON content_sources (is_failing) WHERE is_failing = 1;
        CREATE TABLE content_feeds (
            app_id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            name \(dialect.text) NOT NULL,
            format \(dialect.text) NOT NULL,
            fetched_at BIGINT NOT NULL,
            body \(dialect.bytes) NOT NULL,
            PRIMARY KEY (app_id, set_name, name)
        );
        """
    }

    /// An R*Tree of whole numbers: ten-millionths of a degree, and the version.
    ///
    /// Its ids are the version and the row. The statements that write rows write it too: a trigger may not, since the
    /// schema is not trusted.
    private static let sqlitePlaces = """
        CREATE VIRTUAL TABLE content_places USING rtree_i32 (
            id, min_slot, max_slot, min_latitude, max_latitude, min_longitude, max_longitude
        );
        """

    /// A GiST index of points, which needs no extension.
    ///
    /// Each version has longitudes of its own, so that an index scan meets no places of others.
    private static let postgreSQLPlaces = """
        CREATE INDEX content_rows_by_place ON content_rows
            USING gist (point(longitude + CAST(slot % 65536 AS DOUBLE PRECISION) * 400, latitude))
            WHERE latitude IS NOT NULL;
        """

    /// See ``Baseline/estimates``.
    private static let estimates = [
        "content_rows", "content_runs", "content_versions", "content_follows", "content_follow_keys",
        "content_announced", "content_bundles",
    ].map { table in
        "ALTER TABLE \(table) ALTER COLUMN app_id SET (n_distinct = 1);"
    }.joined(separator: "\n")
}
