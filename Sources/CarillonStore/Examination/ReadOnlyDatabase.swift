package import CarillonEngine
package import CarillonSQL
import Foundation
import GRDBSQLite

/// A database that is only read, also beside the server that has it open: writes are refused.
package struct ReadOnlyDatabase: Database {
    private enum Source {
        case file(path: String)
        case other(any Database)
    }

    private let source: Source
    package let dialect: Dialect

    /// Reads an SQLite file without its lock; each read opens it anew.
    ///
    /// - Parameter path: The file. It is not made, and nothing in it is changed.
    /// - Throws: ``StoreError/unavailable(_:)`` when there is no such file.
    package init(file path: String) throws(StoreError) {
        guard access(path, F_OK) == 0 else { throw .unavailable("There is no store at \(path).") }
        guard access(path, R_OK) == 0 else {
            throw .unavailable("Cannot open \(path): \(String(cString: strerror(errno))).")
        }
        source = .file(path: path)
        dialect = .sqlite
    }

    /// Reads a database that somebody else closes.
    package init(_ database: any Database) {
        source = .other(database)
        dialect = database.dialect
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        switch source {
        case .file(let path): try Self.read(path, body)
        case .other(let database): try await database.read(body)
        }
    }

    package func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value { throw .failed(Self.refusal) }

    package func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value { throw .failed(Self.refusal) }

    package func close() {}

    // MARK: - Private

    private static let refusal = "The store is only read here."

    private static func read<Value>(
        _ path: String,
        _ body: (any SQLConnection) throws -> Value
    ) throws(StoreError) -> Value {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX, nil)
        defer { sqlite3_close_v2(opened) }
        guard code == SQLITE_OK, let opened else { throw .unavailable("Cannot open \(path).") }
        sqlite3_busy_timeout(opened, 5_000)
        let connection = SQLiteConnection(opened, functions: SQLiteFunctions.register)
        try connection.execute(script: "BEGIN")
        defer { connection.rollback() }
        return try connection.limitTime(to: .seconds(5)) { () throws(StoreError) in
            try StoreError.wrap { try body(connection) }
        }
    }
}
