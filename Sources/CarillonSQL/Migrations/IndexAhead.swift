import StoreErrors

/// A unique index that PostgreSQL builds before the migration that needs it, so that writes to a large table are not
/// blocked.
package struct IndexAhead: Sendable {
    package let name: String
    package let table: String
    /// The columns, in parentheses.
    package let columns: String

    package init(name: String, table: String, columns: String) {
        self.name = name
        self.table = table
        self.columns = columns
    }
}

extension MaintenanceSession {
    /// Builds an index concurrently, unless the table is so small that the migration itself may build it.
    ///
    /// Drops the invalid index of an attempt that was interrupted, or failed because of duplicate ids. Two nodes may
    /// build at once: the slower one finds the index, or drops and builds it again.
    ///
    /// - Parameter index: The index.
    /// - Throws: ``StoreError``.
    func build(_ index: IndexAhead) async throws(StoreError) {
        guard dialect == .postgreSQL else { return }
        let (isLarge, isHalf) = try await transaction { connection in
            let isLarge = try connection.first(
                """
                SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relname = $1 AND pg_relation_size(c.oid) > 8388608 LIMIT 1
                """,
                index.table
            ) { _ in true }
            let isHalf = try connection.first(
                """
                SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relname = $1 AND NOT i.indisvalid LIMIT 1
                """,
                index.name
            ) { _ in true }
            return (isLarge != nil, isHalf != nil)
        }
        if isHalf { try await execute(outsideTransaction: "DROP INDEX IF EXISTS \(index.name)") }
        guard isLarge else { return }
        try await execute(
            outsideTransaction: """
                CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS \(index.name) ON \(index.table) \(index.columns)
                """,
            waitsForLocks: true
        )
    }
}
