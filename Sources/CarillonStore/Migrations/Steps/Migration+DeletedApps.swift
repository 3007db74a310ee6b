import CarillonSQL

extension Migration {
    /// Apps that were deleted; a row stays for ever, so that no App gets the id again.
    ///
    /// `finished_at` is null while the App's rows are being removed.
    static let deletedApps = Migration(name: "0003 deleted apps") { dialect in
        """
        CREATE TABLE deleted_apps (
            id BIGINT NOT NULL PRIMARY KEY,
            deleted_at BIGINT NOT NULL,
            finished_at BIGINT
        ) \(dialect.clustered);
        CREATE INDEX deleted_apps_unfinished ON deleted_apps (deleted_at) WHERE finished_at IS NULL;
        """
    }
}
