import CarillonSQL

/// What is known of Users beside their tags.
extension Baseline {
    var users: [String] { [attributes, erasures, messageRules] }

    /// `kind` says what the value is; `number` has every number, and 0 or 1 for a boolean, `whole` an integer to its last
    /// digit.
    private var attributes: String {
        """
        CREATE TABLE user_attributes (
            app_id BIGINT NOT NULL,
            user_id \(dialect.text) NOT NULL,
            name \(dialect.text) NOT NULL,
            kind BIGINT NOT NULL,
            text \(dialect.text),
            number DOUBLE PRECISION,
            whole BIGINT,
            PRIMARY KEY (app_id, user_id, name)
        ) \(dialect.clustered);

        """
    }

    /// Users whose erasure goes on after its request, with the last Occurrence and Campaign that were looked through.
    private var erasures: String {
        """
        CREATE TABLE user_erasures (
            app_id BIGINT NOT NULL,
            user_id \(dialect.text) NOT NULL,
            after_occurrence BIGINT NOT NULL,
            requested_at BIGINT NOT NULL,
            after_campaign BIGINT NOT NULL DEFAULT -1,
            PRIMARY KEY (app_id, user_id)
        ) \(dialect.clustered);

        """
    }

    /// By which rules an App's Users send to each other; `rules` is JSON.
    private var messageRules: String {
        """
        CREATE TABLE user_message_rules (
            app_id BIGINT NOT NULL PRIMARY KEY,
            rules \(dialect.text) NOT NULL,
            secret \(dialect.bytes)
        ) \(dialect.clustered);

        """
    }
}
