import CarillonSQL

/// Who did what.
extension Baseline {
    /// Rows of `audit_log` are only added, each with the hash of the one before; its indexes have what an operator asks
    /// by: an App, an API key, an object.
    ///
    /// `audit_keys` has one row: the key by which the log names people and Devices, sealed with the master key.
    var audit: [String] {
        [
            """
            CREATE TABLE audit_log (
                id BIGINT NOT NULL PRIMARY KEY,
                at BIGINT NOT NULL,
                actor \(dialect.text) NOT NULL,
                address \(dialect.text),
                action \(dialect.text) NOT NULL,
                app_id BIGINT,
                object \(dialect.text),
                status BIGINT NOT NULL,
                previous_hash \(dialect.text) NOT NULL,
                hash \(dialect.text) NOT NULL
            ) \(dialect.clustered);
            CREATE INDEX audit_log_by_app ON audit_log (app_id, id) WHERE app_id IS NOT NULL;
            CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
            CREATE INDEX audit_log_by_object ON audit_log (object, id) WHERE object IS NOT NULL;
            CREATE TABLE audit_keys (
                id BIGINT NOT NULL PRIMARY KEY,
                sealed \(dialect.bytes) NOT NULL
            ) \(dialect.clustered);

            """
        ]
    }
}
