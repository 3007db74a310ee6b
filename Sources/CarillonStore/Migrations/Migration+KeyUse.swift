import CarillonSQL

extension Migration {
    /// When an API key was last used, and the secret of the first one until then: sealed with the master key.
    static let keyUse = Migration(name: "0029 key use") { dialect in
        """
        ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT;
        ALTER TABLE api_keys ADD COLUMN sealed_secret \(dialect.bytes);

        """
    }
}
