import CarillonSQL

extension Migration {
    /// App codes of COIMOTION's API, with the settings of the Apps that have one.
    ///
    /// `code_hash` is the SHA-256 of the code in lower case, `settings` JSON, which has the code as it was written.
    static let vendorAppCodes = Migration(name: "0010 vendor app codes") { dialect in
        """
        CREATE TABLE vendor_app_codes (
            app_id BIGINT NOT NULL PRIMARY KEY,
            code_hash \(dialect.bytes) NOT NULL,
            settings \(dialect.text) NOT NULL
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX vendor_app_codes_by_code ON vendor_app_codes (code_hash);
        """
    }
}
