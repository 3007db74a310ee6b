import CarillonSQL

extension Migration {
    /// A mark that a database is a copy.
    ///
    /// `carillon backup` writes it into the copy, and the first server that starts on the copy pauses what was due since
    /// and takes it away. Where the copy is older than this step, `carillon restore` writes it.
    static let restores = Migration(name: "0024 restores") { dialect in
        """
        CREATE TABLE IF NOT EXISTS restore_marks (
            backup_at BIGINT NOT NULL PRIMARY KEY
        ) \(dialect.clustered);

        """
    }
}
