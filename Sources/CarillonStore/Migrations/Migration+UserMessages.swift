import CarillonSQL

extension Migration {
    /// By which rules an App's Users send to each other; `rules` is JSON, as the API takes it.
    static let userMessages = Migration(name: "0013 user messages") { dialect in
        """
        CREATE TABLE user_message_rules (
            app_id BIGINT NOT NULL PRIMARY KEY,
            rules TEXT NOT NULL,
            secret \(dialect.bytes)
        ) \(dialect.clustered);

        """
    }
}
