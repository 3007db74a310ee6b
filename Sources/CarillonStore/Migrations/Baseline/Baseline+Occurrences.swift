import CarillonSQL

/// Occurrences of Campaigns and their Waves.
extension Baseline {
    var occurrences: [String] { [occurrenceTable, waves] }

    /// `slot` and `part` are those of the Campaign's firing, so that it begins once.
    ///
    /// One that was given up before its time is a row that never began. `last_device` is the highest Device number that it
    /// is for. `matched` counts the Devices that the first Wave has found so far. `failures` counts attempts in a row that could
    /// not go on; until `failed_until` no more are counted.
    private var occurrenceTable: String {
        """
        CREATE TABLE occurrences (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            campaign_id BIGINT NOT NULL,
            last_device BIGINT NOT NULL,
            started_at BIGINT NOT NULL,
            retry_until BIGINT NOT NULL,
            next_chunk BIGINT NOT NULL,
            slot BIGINT NOT NULL DEFAULT 0,
            part BIGINT NOT NULL DEFAULT 0,
            state \(dialect.text) NOT NULL DEFAULT 'sending',
            planned_at BIGINT NOT NULL DEFAULT 0,
            accepted_at BIGINT NOT NULL DEFAULT 0,
            has_begun BIGINT NOT NULL DEFAULT 1,
            finished_at BIGINT,
            reached_nobody BIGINT NOT NULL DEFAULT 0,
            failures BIGINT NOT NULL DEFAULT 0,
            failed_until BIGINT NOT NULL DEFAULT 0,
            matched BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE INDEX occurrences_by_campaign ON occurrences (app_id, campaign_id, id);
        CREATE UNIQUE INDEX occurrences_once ON occurrences (app_id, campaign_id, slot, part);

        """
    }

    /// Waves that are not over.
    ///
    /// A Wave's number is when it is due, in milliseconds, but for the first of an Occurrence that goes out at once: 1.
    /// `due_at` is 0 for at once, `filter` says which time zone it is for. Those of an Occurrence go one after another;
    /// one of them has `wake_at`, when there is something to do (null: nothing as things are), and `retry_at`, when the
    /// Occurrence's next retry is due. `read_at` is when more of it may be read. Apps with work are found one by one, by
    /// `waves_by_app`.
    private var waves: String {
        """
        CREATE TABLE waves (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            wave BIGINT NOT NULL,
            campaign_id BIGINT NOT NULL,
            filter \(dialect.text),
            due_at BIGINT NOT NULL,
            cursor BIGINT NOT NULL,
            is_read BIGINT NOT NULL,
            retry_at BIGINT,
            wake_at BIGINT,
            read_at BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (app_id, occurrence_id, wave)
        ) \(dialect.clustered);
        CREATE INDEX waves_by_time ON waves (wake_at) WHERE wake_at IS NOT NULL;
        CREATE INDEX waves_by_app ON waves (app_id, wake_at, occurrence_id) WHERE wake_at IS NOT NULL;

        """
    }
}
