import CarillonSQL

extension Migration {
    /// Who did what: rows that are only added, each with the hash of the one before.
    ///
    /// Texts of the indexes are what an operator asks by: an App, an API key, an object.
    static let auditLog = Migration(name: "0034 audit log") { dialect in
        """
        CREATE TABLE audit_log (
            id BIGINT NOT NULL PRIMARY KEY,
            at BIGINT NOT NULL,
            actor TEXT NOT NULL,
            address TEXT,
            action TEXT NOT NULL,
            app_id BIGINT,
            object TEXT,
            status BIGINT NOT NULL,
            previous_hash TEXT NOT NULL,
            hash TEXT NOT NULL
        ) \(dialect.clustered);
        CREATE INDEX audit_log_by_app ON audit_log (app_id, id) WHERE app_id IS NOT NULL;
        CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
        CREATE INDEX audit_log_by_object ON audit_log (object, id) WHERE object IS NOT NULL;

        """
    }
}
