import CarillonSQL

extension Migration {
    /// The key by which the audit log names people and Devices, sealed with the master key; one row.
    static let auditKeys = Migration(name: "0045 audit keys") { dialect in
        """
        CREATE TABLE audit_keys (
            id BIGINT NOT NULL PRIMARY KEY,
            sealed \(dialect.bytes) NOT NULL
        ) \(dialect.clustered);

        """
    }
}
