import CarillonSQL

extension Migration {
    /// Whether a notification was ever taken for a token, and with a push key.
    ///
    /// Nothing is known of what was there before: it counts as confirmed, as imported tokens do. A column without a value
    /// is added at once, however many Devices there are.
    static let tokenConfirmation = Migration(name: "0027 token confirmation") { dialect in
        """
        ALTER TABLE devices ADD COLUMN token_unconfirmed \(dialect.small);
        ALTER TABLE call_tokens ADD COLUMN unconfirmed \(dialect.small);
        ALTER TABLE chunks ADD COLUMN has_halted \(dialect.small);
        ALTER TABLE push_keys ADD COLUMN confirmed_at BIGINT;
        UPDATE push_keys SET confirmed_at = updated_at;

        """
    }
}
