import CarillonSQL

extension Migration {
    /// Figures by time, and totals that many nodes count at once.
    ///
    /// Every counter has a slot: on PostgreSQL that of the connection which counts, so that two nodes never wait for one
    /// another's row nor lock two rows in different orders; on SQLite, which has one writer, zero. Whoever reads sums
    /// the slots up. `bucket` is in minutes since 1970: the first of the bucket's `unit` minutes.
    ///
    /// `statistics_by_time` is without test sends; its `statistics_id` is 0 for what is gathered under no key. Kinds
    /// stand in `StatisticsKind`; `reason` is 0 but for failures and skips.
    static let statistics = Migration(name: "0010 statistics") { dialect in
        """
        ALTER TABLE campaigns ADD COLUMN statistics_id BIGINT;
        CREATE INDEX IF NOT EXISTS occurrences_by_campaign ON occurrences (app_id, campaign_id, id);

        """ + keys(dialect) + series(dialect) + totals(dialect)
    }

    private static func keys(_ dialect: Dialect) -> String {
        """
        CREATE TABLE statistics_ids (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            name TEXT NOT NULL,
            description TEXT,
            starts_at BIGINT,
            ends_at BIGINT,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX statistics_ids_by_id ON statistics_ids (id);

        """
    }

    private static func series(_ dialect: Dialect) -> String {
        """
        CREATE TABLE statistics_by_time (
            app_id BIGINT NOT NULL,
            unit BIGINT NOT NULL,
            bucket BIGINT NOT NULL,
            statistics_id BIGINT NOT NULL,
            channel BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            reason BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, unit, bucket, statistics_id, channel, kind, reason, slot)
        ) \(dialect.clustered);
        CREATE TABLE statistics_by_occurrence (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            bucket BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            reason BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, bucket, kind, reason, slot)
        ) \(dialect.clustered);

        """
    }

    /// The totals of each Occurrence, which survive its rows.
    private static func totals(_ dialect: Dialect) -> String {
        """
        ALTER TABLE delivery_counts RENAME TO delivery_counts_before;
        CREATE TABLE delivery_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            outcome BIGINT NOT NULL,
            reason BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, outcome, reason, slot)
        ) \(dialect.clustered);
        INSERT INTO delivery_counts (app_id, occurrence_id, outcome, reason, slot, count)
            SELECT app_id, occurrence_id, outcome, reason, 0, count FROM delivery_counts_before;
        DROP TABLE delivery_counts_before;
        ALTER TABLE event_counts RENAME TO event_counts_before;
        CREATE TABLE event_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, kind, slot)
        ) \(dialect.clustered);
        INSERT INTO event_counts (app_id, occurrence_id, kind, slot, count)
            SELECT app_id, occurrence_id, kind, 0, count FROM event_counts_before;
        DROP TABLE event_counts_before;
        CREATE TABLE action_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            action TEXT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, action, slot)
        ) \(dialect.clustered);

        """
    }
}
