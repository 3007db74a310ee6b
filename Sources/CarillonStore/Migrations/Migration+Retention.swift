import CarillonSQL

extension Migration {
    /// How long rows are kept, and who drops them.
    ///
    /// On PostgreSQL `deliveries` and `events` become partitions by ranges of Occurrences, which order by time: a week
    /// each, made ahead, dropped whole. What has no partition of its own is in the one that is called `_rest`.
    static let retention = Migration(name: "0012 retention") { dialect in
        """
        CREATE TABLE app_retention (
            app_id BIGINT NOT NULL PRIMARY KEY,
            deliveries BIGINT NOT NULL,
            events BIGINT NOT NULL,
            inbox BIGINT NOT NULL,
            minutes BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE TABLE node_claims (
            name TEXT NOT NULL PRIMARY KEY,
            owner BIGINT NOT NULL,
            ends_at BIGINT NOT NULL
        ) \(dialect.clustered);

        """ + (dialect == .postgreSQL ? partitioned("deliveries") + partitioned("events") : "")
    }

    private static func partitioned(_ table: String) -> String {
        """
        ALTER TABLE \(table) RENAME TO \(table)_before;
        CREATE TABLE \(table) (LIKE \(table)_before INCLUDING ALL) PARTITION BY RANGE (occurrence_id);
        CREATE TABLE \(table)_rest PARTITION OF \(table) DEFAULT;
        INSERT INTO \(table) SELECT * FROM \(table)_before;
        DROP TABLE \(table)_before;

        """
    }
}
