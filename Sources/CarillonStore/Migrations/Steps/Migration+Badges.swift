import CarillonSQL

extension Migration {
    /// The numbers on the icons of Devices, as the server counts them, apart from the Devices: a Campaign that adds to
    /// them writes a few bytes for each, and no Device's row.
    ///
    /// A Device without a row has 0.
    static let badges = Migration(name: "0006 badges") { dialect in
        """
        CREATE TABLE device_badges (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            badge BIGINT NOT NULL,
            PRIMARY KEY (app_id, device_number)
        ) \(dialect.clustered);
        \(dialect == .postgreSQL ? "ALTER TABLE device_badges ALTER COLUMN app_id SET (n_distinct = 1);" : "")
        """
    }
}
