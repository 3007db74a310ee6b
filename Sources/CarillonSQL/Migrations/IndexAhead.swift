import StoreErrors

/// A unique index that PostgreSQL builds before the step of the schema that needs it, so that nobody who writes into a
/// large table waits for it.
package struct IndexAhead: Sendable {
    package let name: String
    package let table: String
    /// With their parentheses.
    package let columns: String

    package init(name: String, table: String, columns: String) {
        self.name = name
        self.table = table
        self.columns = columns
    }
}

extension MaintenanceSession {
    /// Builds an index beside all readers and writers, unless the table is so small that the step itself may build it.
    ///
    /// What an attempt left behind that was cut off, or that ids met which are there twice, is dropped. Two nodes that
    /// build at once are no harm: the slower one finds the index, or drops and builds it again.
    ///
    /// - Parameter index: What is built.
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
