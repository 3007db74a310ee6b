import CarillonSQL

extension Migration {
    /// What became of transactions whose commit was not answered, a row a connection; on PostgreSQL alone.
    ///
    /// A row changes with every transaction and is never moved: its page has room for many versions.
    static let commitMarks = Migration(name: "0018 commit marks") { dialect in
        guard dialect == .postgreSQL else { return "" }
        return """
            CREATE TABLE commit_marks (
                slot BIGINT NOT NULL PRIMARY KEY,
                mark BIGINT NOT NULL,
                at BIGINT NOT NULL
            ) WITH (fillfactor = 10);

            """
    }
}
