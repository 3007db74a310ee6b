import CarillonSQL

extension Migration {
    /// Leases live by the heartbeat of their dispatcher, apart from the tables that its commits write.
    ///
    /// `dispatcher_sessions` has a row a running dispatcher; `chunks.owner` names it, and a Chunk whose owner has no row
    /// is free. `seen_at` is compared with nothing but days: by it rows of dispatchers that died idle are swept.
    /// `dispatcher_waits` says of which Occurrences a dispatcher has outcomes that it cannot commit.
    ///
    /// Leases of nodes that run while the schema changes last until their owners have shown no heartbeat for a lease.
    static let dispatcherSessions = Migration(name: "0016 dispatcher sessions") { dialect in
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
        INSERT INTO dispatcher_sessions (owner, process, beat, seen_at)
            SELECT DISTINCT owner, 0, 0, 0 FROM chunks WHERE owner IS NOT NULL;

        """
    }
}
