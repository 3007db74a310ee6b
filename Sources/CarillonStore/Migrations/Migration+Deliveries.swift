import CarillonSQL

extension Migration {
    /// Campaigns, their Occurrences and Waves, the Chunks that are not over, and what became of every notification.
    ///
    /// Keys begin with the App, then the Occurrence, whose ids order by time: deliveries are appended, and retention can
    /// drop ranges. `deliveries` has no other index: one by Device would cost a page write a row.
    static let deliveries = Migration(name: "0002 deliveries") { dialect in
        campaigns(dialect) + work(dialect) + retries(dialect) + outcomes(dialect)
    }

    /// `audience` and `message` are JSON, as the API takes them; `retry_for` is in milliseconds.
    private static func campaigns(_ dialect: Dialect) -> String {
        """
        CREATE TABLE campaigns (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            name TEXT,
            state TEXT NOT NULL,
            alarm TEXT,
            audience TEXT NOT NULL,
            message TEXT NOT NULL,
            is_ad BIGINT NOT NULL,
            is_test BIGINT NOT NULL,
            send_at BIGINT,
            retry_for BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            occurrence_id BIGINT,
            started_at BIGINT,
            finished_at BIGINT,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX campaigns_by_id ON campaigns (id);
        CREATE INDEX campaigns_due ON campaigns (send_at) WHERE state = 'scheduled';
        CREATE TABLE occurrences (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            campaign_id BIGINT NOT NULL,
            last_device BIGINT NOT NULL,
            started_at BIGINT NOT NULL,
            retry_until BIGINT NOT NULL,
            next_chunk BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);

        """
    }

    /// All of it is gone when an Occurrence is over.
    ///
    /// A Wave's `due_at` is 0 for at once. Its `wake_at` is when there is something to do for it (null: nothing as things are), `retry_at` when its
    /// Occurrence's next retry is due; `filter` is where a Wave of one time zone will say which. A Chunk without a Wave
    /// is one of retries, and covers times and numbers; the others cover numbers.
    private static func work(_ dialect: Dialect) -> String {
        """
        CREATE TABLE waves (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            wave BIGINT NOT NULL,
            campaign_id BIGINT NOT NULL,
            filter TEXT,
            due_at BIGINT NOT NULL,
            cursor BIGINT NOT NULL,
            is_read BIGINT NOT NULL,
            retry_at BIGINT,
            wake_at BIGINT,
            PRIMARY KEY (app_id, occurrence_id, wave)
        ) \(dialect.clustered);
        CREATE INDEX waves_by_time ON waves (wake_at) WHERE wake_at IS NOT NULL;
        CREATE TABLE chunks (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            chunk BIGINT NOT NULL,
            campaign_id BIGINT NOT NULL,
            wave BIGINT,
            after_time BIGINT NOT NULL,
            after_device BIGINT NOT NULL,
            through_time BIGINT NOT NULL,
            through_device BIGINT NOT NULL,
            owner BIGINT,
            fence BIGINT NOT NULL,
            beat BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, chunk)
        ) \(dialect.clustered);

        """
    }

    private static func retries(_ dialect: Dialect) -> String {
        """
        CREATE TABLE retries (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            push_type \(dialect.small) NOT NULL,
            due_at BIGINT NOT NULL,
            attempts \(dialect.small) NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, device_number, push_type)
        ) \(dialect.clustered);
        CREATE INDEX retries_by_time ON retries (app_id, occurrence_id, due_at, device_number);

        """
    }

    private static func outcomes(_ dialect: Dialect) -> String {
        """
        CREATE TABLE deliveries (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            push_type \(dialect.small) NOT NULL,
            outcome \(dialect.small) NOT NULL,
            reason \(dialect.small) NOT NULL,
            at BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, device_number, push_type)
        ) \(dialect.clustered);
        CREATE TABLE delivery_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            outcome BIGINT NOT NULL,
            reason BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, outcome, reason)
        ) \(dialect.clustered);
        CREATE TABLE delivery_reasons (
            code BIGINT NOT NULL PRIMARY KEY,
            reason TEXT NOT NULL UNIQUE
        ) \(dialect.clustered);

        """
    }
}
