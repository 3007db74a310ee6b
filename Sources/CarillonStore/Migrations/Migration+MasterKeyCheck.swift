import CarillonSQL

extension Migration {
    /// A value sealed with the master key, so that a server with another key is found out when it starts.
    ///
    /// The first server whose key opens the secrets of the store writes it.
    static let masterKeyCheck = Migration(name: "0028 master key check") { dialect in
        """
        CREATE TABLE master_key_checks (
            id BIGINT NOT NULL PRIMARY KEY,
            sealed \(dialect.bytes) NOT NULL
        ) \(dialect.clustered);

        """
    }
}
