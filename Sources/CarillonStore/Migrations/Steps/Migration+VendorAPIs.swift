import CarillonSQL

extension Migration {
    /// Vendor APIs that Apps turn on, and the ids of Devices at other services.
    ///
    /// `key_hash` and `secret_hash` are SHA-256. `vendor_device_ids` has the ids that are no UUIDs. `vendor_registered` is
    /// 1 for a Device that was registered through a vendor API: an import leaves it alone.
    static let vendorAPIs = Migration(name: "0005 vendor APIs") { dialect in
        """
        CREATE TABLE vendor_apis (
            app_id BIGINT NOT NULL,
            api \(dialect.text) NOT NULL,
            key_hash \(dialect.bytes) NOT NULL,
            secret_hash \(dialect.bytes),
            updated_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, api)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX vendor_apis_by_key ON vendor_apis (key_hash, api);
        CREATE TABLE vendor_device_ids (
            app_id BIGINT NOT NULL,
            public_id \(dialect.bytes) NOT NULL,
            vendor_id \(dialect.text) NOT NULL,
            PRIMARY KEY (app_id, public_id)
        ) \(dialect.clustered);
        ALTER TABLE devices ADD COLUMN vendor_registered \(dialect.small);

        """
    }
}
