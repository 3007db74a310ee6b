import CarillonSQL

extension Migration {
    /// Saved Audiences, and what their conditions need.
    ///
    /// `rule` is the text form. PostgreSQL gets the functions that SQLite gets from us with each connection
    /// (`SQLiteFunctions`).
    static let audiences = Migration(name: "0007 audiences") { dialect in
        """
        CREATE TABLE audiences (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            name TEXT NOT NULL,
            rule TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            changed_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX audiences_by_id ON audiences (id);
        CREATE UNIQUE INDEX audiences_by_name ON audiences (app_id, name);
        CREATE INDEX occurrences_by_campaign ON occurrences (app_id, campaign_id, id);

        """ + (dialect == .postgreSQL ? functions : "")
    }

    /// The same as `VersionKey` and `Sphere`.
    ///
    /// The types are in lower case: columns get a collation, these may not.
    private static let functions = """
        CREATE FUNCTION carillon_version(version text) RETURNS text LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT lpad(split_part(n, '.', 1), 18, '0') || lpad(split_part(n, '.', 2), 18, '0')
                || lpad(split_part(n, '.', 3), 18, '0') || lpad(split_part(n, '.', 4), 18, '0')
            FROM (SELECT substring(version from '[0-9]+(?:[.][0-9]+)*') AS n) AS numbers
        $$;
        CREATE FUNCTION carillon_distance(
            a DOUBLE PRECISION, b DOUBLE PRECISION, c DOUBLE PRECISION, d DOUBLE PRECISION
        ) RETURNS DOUBLE PRECISION LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT 2 * 6371008.8 * asin(LEAST(1, sqrt(
                power(sin(radians(a - c) / 2), 2)
                + cos(radians(a)) * cos(radians(c)) * power(sin(radians(b - d) / 2), 2))))
        $$;

        """
}
