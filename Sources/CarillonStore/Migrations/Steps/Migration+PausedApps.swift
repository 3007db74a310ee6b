import CarillonSQL

extension Migration {
    /// Apps of which nothing is sent, and the nodes that share a database.
    ///
    /// `sending_paused_at` is null unless the App's sending is paused; `sending_paused_by` is the id of an Operator or of an
    /// API key. `nodes` has a row a process: what it reports as JSON, its own clock and the database's at its last heartbeat,
    /// and since when it takes no work. A file has one process, which needs none.
    static let pausedApps = Migration(name: "0018 paused apps") { dialect in
        """
        ALTER TABLE apps ADD COLUMN sending_paused_at BIGINT;
        ALTER TABLE apps ADD COLUMN sending_paused_by \(dialect.text);
        \(dialect == .postgreSQL ? nodes : "")
        """
    }

    private static let nodes = """
        CREATE TABLE nodes (
            process BIGINT NOT NULL PRIMARY KEY,
            facts TEXT NOT NULL,
            clock BIGINT NOT NULL,
            seen_at BIGINT NOT NULL,
            quiet_at BIGINT,
            quiet_by TEXT COLLATE "C"
        ) WITH (fillfactor = 50);
        """
}
