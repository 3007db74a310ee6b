import CarillonSQL

/// Saved Audiences, and what their conditions compute.
extension Baseline {
    var audiences: [String] { [audienceTable] + (dialect == .postgreSQL ? [functions] : []) }

    /// `rule` is the text form.
    private var audienceTable: String {
        """
        CREATE TABLE audiences (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            name \(dialect.text) NOT NULL,
            rule \(dialect.text) NOT NULL,
            created_at BIGINT NOT NULL,
            changed_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX audiences_by_name ON audiences (app_id, name);
        CREATE UNIQUE INDEX audiences_by_id_and_app ON audiences (id, app_id);

        """
    }

    /// The same as `VersionKey` and `Sphere`.
    ///
    /// SQLite gets these functions with each connection: see ``SQLiteFunctions``.
    private var functions: String {
        """
        CREATE FUNCTION carillon_version(version TEXT) RETURNS TEXT LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
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
}
