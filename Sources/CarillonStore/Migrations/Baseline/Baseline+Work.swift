import CarillonSQL

/// Chunks, retries and the dispatchers that lease them; all of it is gone when an Occurrence is over.
extension Baseline {
    var work: [String] { [chunks, retries, sessions] }

    /// A Chunk without a Wave is one of retries, and covers times and numbers; the others cover numbers.
    ///
    /// `owner` names a dispatcher's session; a Chunk whose owner has no row there is free. One that was given back is free
    /// from `free_at` on; the largest number means that its Campaign is paused. `failures` counts attempts in a row that
    /// could not go on.
    private var chunks: String {
        """
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
            free_at BIGINT NOT NULL DEFAULT 0,
            failures BIGINT NOT NULL DEFAULT 0,
            has_halted \(dialect.small),
            PRIMARY KEY (app_id, occurrence_id, chunk)
        ) \(dialect.clustered);
        CREATE INDEX chunks_free ON chunks (free_at) WHERE owner IS NULL;

        """
    }

    private var retries: String {
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

    /// Leases live by the heartbeat of their dispatcher, apart from the tables that its commits write.
    ///
    /// `dispatcher_sessions` has a row a running dispatcher. `seen_at` is compared with nothing but days: by it rows of
    /// dispatchers that died idle are swept. `dispatcher_waits` says of which Occurrences a dispatcher has outcomes that
    /// it cannot commit.
    private var sessions: String {
        """
        CREATE TABLE dispatcher_sessions (
            owner BIGINT NOT NULL PRIMARY KEY,
            process BIGINT NOT NULL,
            beat BIGINT NOT NULL,
            seen_at BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE TABLE dispatcher_waits (
            owner BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            campaign_id BIGINT NOT NULL,
            since BIGINT NOT NULL,
            chunks BIGINT NOT NULL,
            notifications BIGINT NOT NULL,
            PRIMARY KEY (owner, occurrence_id)
        ) \(dialect.clustered);
        CREATE INDEX dispatcher_waits_by_campaign ON dispatcher_waits (campaign_id, occurrence_id);

        """
    }
}
