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
        \(["content_rows", "content_runs", "content_versions"].map { table in
            "ALTER TABLE \(table) ALTER COLUMN app_id SET (n_distinct = 1);"
        }.joined(separator: "\n"))
        """
}
