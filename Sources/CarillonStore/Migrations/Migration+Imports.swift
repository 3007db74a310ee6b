import CarillonSQL

extension Migration {
    /// Numbers of Devices that an import has reserved and writes tags under, before the Devices are there.
    static let imports = Migration(name: "0014 import windows") { dialect in
        """
        CREATE TABLE import_windows (
            app_id BIGINT NOT NULL,
            first_number BIGINT NOT NULL,
            last_number BIGINT NOT NULL,
            PRIMARY KEY (app_id, first_number)
        ) \(dialect.clustered);

        """
    }
}
