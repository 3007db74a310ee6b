import CarillonSQL

extension Migration {
    /// Beside each tag of a Device stands what rules ask most: see `DeviceFacets`.
    ///
    /// Rows without a Device are left behind: an import was cut off there.
    static let facets = Migration(name: "0015 facets") { dialect in
        """
        CREATE TABLE faceted_tags (
            app_id BIGINT NOT NULL,
            tag BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            facets BIGINT NOT NULL,
            PRIMARY KEY (app_id, tag, device_number)
        ) \(dialect.clustered);
        INSERT INTO faceted_tags (app_id, tag, device_number, facets)
        SELECT t.app_id, t.tag, t.device_number,
            (d.consent & 7) + 8 * \(letters("d.language", dialect)) + 8192 * \(letters("d.country", dialect))
        FROM device_tags t JOIN devices d ON d.app_id = t.app_id AND d.number = t.device_number
        ORDER BY t.app_id, t.tag, t.device_number;
        DROP TABLE device_tags;
        ALTER TABLE faceted_tags RENAME TO device_tags;
        \(dialect == .sqlite ? "" : "ALTER INDEX faceted_tags_pkey RENAME TO device_tags_pkey;")

        """
    }

    /// The first two letters of a column as a number, 0 when there are none.
    private static func letters(_ column: String, _ dialect: Dialect) -> String {
        let code = dialect == .sqlite ? "unicode" : "ascii"
        let (first, second) = ("lower(substr(\(column), 1, 1))", "lower(substr(\(column), 2, 1))")
        return """
            CASE WHEN \(first) BETWEEN 'a' AND 'z' AND \(second) BETWEEN 'a' AND 'z'
            THEN (\(code)(\(first)) - 96) * 32 + \(code)(\(second)) - 96 ELSE 0 END
            """
    }
}
