import GRDBSQLite
package import StoreErrors

extension SQLConnection {
    /// Returns SQLite's query plan of a statement, a line per step; empty on another database.
    ///
    /// Tests check hot queries with it.
    package func plan(of sql: SQL) throws(StoreError) -> [String] {
        guard let connection = self as? SQLiteConnection else { return [] }
        return try connection.explain(sql.text)
    }

    /// Returns SQLite's query plan of a composed statement.
    package func plan(of sql: ComposedSQL) throws(StoreError) -> [String] {
        guard let connection = self as? SQLiteConnection else { return [] }
        return try connection.explain(sql.text)
    }

    /// Returns SQLite's query plans of all statements that this connection has prepared so far.
    package func plansOfPrepared() throws(StoreError) -> [(text: String, lines: [String])] {
        guard let connection = self as? SQLiteConnection else { return [] }
        var plans: [(text: String, lines: [String])] = []
        for text in connection.preparedTexts { plans.append((text, try connection.explain(text))) }
        return plans
    }
}

extension SQLiteConnection {
    /// Statements that read or change rows.
    fileprivate var preparedTexts: [String] {
        var texts: [String] = []
        var statement = sqlite3_next_stmt(handle, nil)
        while let pointer = statement {
            if let text = sqlite3_sql(pointer).map({ String(cString: $0) }),
                ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(where: text.hasPrefix)
            {
                texts.append(text)
            }
            statement = sqlite3_next_stmt(handle, pointer)
        }
        return texts
    }

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
