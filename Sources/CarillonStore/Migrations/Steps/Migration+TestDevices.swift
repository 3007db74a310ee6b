import CarillonSQL

extension Migration {
    /// Devices that get test messages, the codes that make some, and how many messages they got within the last hour.
    ///
    /// `test_pairings.code_hash` is the SHA-256 of the App and the code, `attempts` how many wrong codes were sent since.
    static let testDevices = Migration(name: "0016 test devices") { dialect in
        let tables = ["test_devices", "test_pairings", "test_sends"]
        let estimates = tables.map { "ALTER TABLE \($0) ALTER COLUMN app_id SET (n_distinct = 1);" }
        return """
            CREATE TABLE test_devices (
                app_id BIGINT NOT NULL,
                device_number BIGINT NOT NULL,
                name \(dialect.text) NOT NULL,
                owner_name \(dialect.text),
                added_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, device_number)
            ) \(dialect.clustered);
            CREATE TABLE test_pairings (
                app_id BIGINT NOT NULL,
                code_hash \(dialect.bytes) NOT NULL,
                name \(dialect.text) NOT NULL,
                owner_name \(dialect.text),
                attempts BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, code_hash)
            ) \(dialect.clustered);
            CREATE TABLE test_sends (
                app_id BIGINT NOT NULL,
                at BIGINT NOT NULL,
                notifications BIGINT NOT NULL,
                PRIMARY KEY (app_id, at)
            ) \(dialect.clustered);
            \(dialect == .postgreSQL ? estimates.joined(separator: "\n") : "")
            """
    }
}
