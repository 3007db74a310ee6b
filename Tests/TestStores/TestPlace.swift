import CarillonEngine
package import CarillonSQL
import CarillonStore
import Foundation
import NIOConcurrencyHelpers

/// Where a test's data lies, so that it can be opened a second time.
package enum TestPlace: Sendable {
    case file(String)
    /// A database on the server of `CARILLON_TEST_POSTGRES`, which the test has for itself.
    case postgreSQL(PostgreSQLDatabase)

    /// Whether tests of the engine and the server run on PostgreSQL: `CARILLON_TEST_STORE=postgres` says so, and
    /// `CARILLON_TEST_POSTGRES` where.
    package static let isPostgreSQL = ProcessInfo.processInfo.environment["CARILLON_TEST_STORE"] == "postgres"

    /// Lends a place that outlives its databases, on the store that the environment chose.
    package static func with<Value>(_ body: (TestPlace) async throws -> Value) async throws -> Value {
        if isPostgreSQL {
            return try await TestPostgreSQL.withDatabase { _, database in try await body(.postgreSQL(database)) }
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(.file(folder.appending(path: "store.sqlite").path))
    }

    /// Opens the database that lies there.
    ///
    /// - Parameter options: For SQLite.
    /// - Returns: The database; whoever opened it closes it. On PostgreSQL the connections are the place's own and stay.
    /// - Throws: ``StoreError``.
    package func open(_ options: SQLiteDatabase.Options = .forTests) throws -> any Database {
        switch self {
        case .file(let path): try SQLiteDatabase(path: path, options: options)
        case .postgreSQL(let database): LentDatabase(database)
        }
    }
}

/// A database whose connections go on to the next test when it is closed.
final class LentDatabase: Database {
    private let database: PostgreSQLDatabase
    private let isClosed = NIOLockedValueBox(false)

    let dialect = Dialect.postgreSQL

    init(_ database: PostgreSQLDatabase) { self.database = database }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try checkOpen()
        return try await database.read(body)
    }

    func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try checkOpen()
        return try await database.write(priority: priority, body)
    }

    func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        try checkOpen()
        return try await database.maintenance(patience: patience, body)
    }

    func turn(at lock: WriteLock) async -> (any DatabaseTurn)? {
        isClosed.withLockedValue { $0 } ? nil : await database.turn(at: lock)
    }

    func close() { isClosed.withLockedValue { $0 = true } }

    private func checkOpen() throws(StoreError) {
        if isClosed.withLockedValue({ $0 }) { throw .unavailable("The database is closed.") }
    }
}
