import CarillonSQL

extension Migration {
    /// When an import last changed a Device that was known.
    ///
    /// `imported_at` is null for a Device that no import has changed since it was created or registered: an export of a
    /// range finds those by the times of that.
    static let importedChanges = Migration(name: "0014 changes by imports") { _ in
        """
        ALTER TABLE devices ADD COLUMN imported_at BIGINT;
        """
    }
}
