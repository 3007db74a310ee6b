import CarillonEngine
import CarillonModel
import CarillonSQL
import Foundation
import GRDBSQLite

/// The SQLite file that is moved, beside the server that has it open.
///
/// One thread uses it.
final class TransferSource {
    private let handle: OpaquePointer

    /// Opens the file without its lock.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` when there is no such file.
    init(path: String) throws(StoreError) {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw .unavailable("Cannot open \(path).")
        }
        self.handle = handle
        // The server's writes come first, and they are short.
        sqlite3_busy_timeout(handle, 60_000)
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ script: String) throws(StoreError) {
        guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw StoreError(sqlite: handle) }
    }

    func prepare(_ text: String) throws(StoreError) -> SQLiteStatement {
        var pointer: OpaquePointer?
        guard sqlite3_prepare_v2(handle, text, -1, &pointer, nil) == SQLITE_OK, let pointer else {
            throw StoreError(sqlite: handle)
        }
        return SQLiteStatement(pointer, connection: handle)
    }

    /// Runs a closure on one snapshot.
    func reading<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try execute("BEGIN")
        do throws(StoreError) {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Reads the first column of all rows.
    func values<Value: SQLReadable>(
        _ statement: SQLiteStatement,
        as _: Value.Type = Value.self
    ) throws(StoreError) -> [Value] {
        defer { statement.reset() }
        var values: [Value] = []
        while try statement.next() { values.append(try Value.read(statement, at: 0)) }
        return values
    }

    func number(_ text: String) throws(StoreError) -> Int64 { try values(prepare(text), as: Int64.self).first ?? 0 }

    /// The steps of the schema.
    func steps() throws(StoreError) -> [String] {
        try values(prepare("SELECT name FROM schema_migrations ORDER BY name"))
    }

    /// All tables of ours but the list of steps.
    func tables() throws(StoreError) -> [TransferTable] {
        let names: [String] = try values(
            prepare(
                """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                    AND name NOT IN ('schema_migrations', '\(TransferTable.log)')
                    -- An index, which PostgreSQL makes itself.
                    AND name NOT LIKE 'content_places%' ORDER BY name
                """
            )
        )
        return try names.map { name throws(StoreError) in
            let columns: [String] = try values(prepare("SELECT name FROM pragma_table_info('\(name)') ORDER BY cid"))
            let key: [String] = try values(
                prepare("SELECT name FROM pragma_table_info('\(name)') WHERE pk > 0 ORDER BY pk")
            )
            guard let table = TransferTable(name: name, columns: columns, key: key) else {
                throw .failed("The table \(name) cannot be moved.")
            }
            return table
        }
    }

    /// The weeks in which a table has rows, of any App.
    ///
    /// Each App's next row is found by the key, so that it costs what there are Apps and weeks.
    func weeks(of table: String) throws(StoreError) -> Set<Int64> {
        let apps: [Int64] = try values(
            prepare("SELECT id FROM apps UNION SELECT id FROM deleted_apps WHERE finished_at IS NULL ORDER BY id")
        )
        let next = try prepare("SELECT MIN(occurrence_id) FROM \(table) WHERE app_id = $1 AND occurrence_id >= $2")
        var weeks: Set<Int64> = []
        for app in apps {
            var first: Int64? = 0
            while let bound = first {
                next.bind(app, at: 1)
                next.bind(bound, at: 2)
                let found: OccurrenceID? = try values(next, as: OccurrenceID?.self).first ?? nil
                first = found.map { occurrence in
                    let week = WeekPartition.week(of: Timestamp(rawValue: occurrence.milliseconds))
                    weeks.insert(week)
                    return WeekPartition(table: table, week: week).endOccurrence
                }
            }
        }
        return weeks
    }

    /// Reads the next keys of a statement.
    func keys(_ statement: SQLiteStatement, count: Int, limit: Int) throws(StoreError) -> [[SQLValue]] {
        var keys: [[SQLValue]] = []
        while keys.count < limit, try statement.next() { keys.append((0..<count).map(statement.value)) }
        return keys
    }
}

extension SQLiteStatement {
    /// A column of a key, which is never null.
    func value(_ column: Int) -> SQLValue {
        switch kind(column) {
        case SQLITE_INTEGER: .integer(int64(column))
        case SQLITE_FLOAT: .number(double(column))
        case SQLITE_TEXT: .text(string(column))
        default: .bytes(array(column))
        }
    }

    /// Binds a row's columns, in their order, to another database's statement.
    func copy(to target: PostgreSQLStatement, columnCount: Int) {
        for column in 0..<columnCount { copy(column, to: target, at: column + 1) }
    }

    func copy(_ column: Int, to target: any SQLStatement, at index: Int) {
        switch kind(column) {
        case SQLITE_INTEGER: target.bind(int64(column), at: index)
        case SQLITE_FLOAT: target.bind(double(column), at: index)
        case SQLITE_TEXT: target.bind(string(column), at: index)
        case SQLITE_BLOB: target.bind(bytes(column), at: index)
        default: target.bindNull(at: index)
        }
    }
}
