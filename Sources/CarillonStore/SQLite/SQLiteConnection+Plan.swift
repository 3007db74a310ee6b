package import CarillonEngine
import GRDBSQLite

extension SQLConnection {
    /// How SQLite finds a statement's rows, a line for each step; empty on another database.
    ///
    /// Tests hold hot queries against it.
    package func plan(of sql: SQL) throws(StoreError) -> [String] {
        guard let connection = self as? SQLiteConnection else { return [] }
        return try connection.explain(sql.text.description)
    }

    /// How SQLite finds the rows of a statement that was put together.
    package func plan(of sql: ComposedSQL) throws(StoreError) -> [String] {
        guard let connection = self as? SQLiteConnection else { return [] }
        return try connection.explain(sql.text)
    }
}

extension SQLiteConnection {
    fileprivate func explain(_ statement: String) throws(StoreError) -> [String] {
        let text = "EXPLAIN QUERY PLAN " + statement
        var pointer: OpaquePointer?
        guard sqlite3_prepare_v2(handle, text, -1, &pointer, nil) == SQLITE_OK, let pointer else {
            throw StoreError(sqlite: handle)
        }
        let statement = SQLiteStatement(pointer, connection: handle)
        var lines: [String] = []
        while try statement.next() { lines.append(statement.string(3)) }
        return lines
    }
}
