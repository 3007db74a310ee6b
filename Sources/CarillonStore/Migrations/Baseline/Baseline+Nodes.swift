import CarillonSQL

/// What nodes agree on, and what a database knows of itself.
extension Baseline {
    var nodes: [String] { [claims] + (dialect == .postgreSQL ? [commitMarks] : []) }

    /// `node_claims` says which node does what one node does at a time.
    ///
    /// `restore_marks` says that a database is a copy: `carillon backup` writes it into the copy, and the first server
    /// that starts on the copy pauses what was due since and deletes it.
    private var claims: String {
        """
        CREATE TABLE node_claims (
            name \(dialect.text) NOT NULL PRIMARY KEY,
            owner BIGINT NOT NULL,
            ends_at BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE TABLE restore_marks (
            backup_at BIGINT NOT NULL PRIMARY KEY
        ) \(dialect.clustered);

        """
    }

    /// What became of transactions whose commit was not answered, a row a connection.
    ///
    /// A row changes with every transaction and is never moved: its page has room for many versions.
    private var commitMarks: String {
        """
        CREATE TABLE commit_marks (
            slot BIGINT NOT NULL PRIMARY KEY,
            mark BIGINT NOT NULL,
            at BIGINT NOT NULL
        ) WITH (fillfactor = 10);

        """
    }
}
