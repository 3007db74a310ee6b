package import CarillonEngine
package import CarillonStore
import Foundation

/// Where a test's data lies, so that it can be opened a second time.
package enum TestPlace: Sendable {
    /// In memory: gone when it is closed.
    case memory
    case file(String)
    /// A database of its own on the server of `CARILLON_TEST_POSTGRES`.
    case postgreSQL(url: String)

    /// Whether tests of the engine and the server run on PostgreSQL: `CARILLON_TEST_STORE=postgres` says so, and
    /// `CARILLON_TEST_POSTGRES` where.
    package static let isPostgreSQL = ProcessInfo.processInfo.environment["CARILLON_TEST_STORE"] == "postgres"

    /// Lends a place that outlives its databases, on the store that the environment chose.
    package static func with<Value>(_ body: (TestPlace) async throws -> Value) async throws -> Value {
        if isPostgreSQL {
            await TestPostgreSQL.turns.take()
            let result: Result<Value, any Error>
            do {
                let url = try await TestPostgreSQL.makeDatabase()
                do { result = .success(try await body(.postgreSQL(url: url))) } catch { result = .failure(error) }
                try await TestPostgreSQL.drop(url)
            } catch {
                await TestPostgreSQL.turns.giveBack()
                throw error
            }
            await TestPostgreSQL.turns.giveBack()
            return try result.get()
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(.file(folder.appending(path: "store.sqlite").path))
    }

    /// Opens the database that lies there.
    ///
    /// - Parameter options: For SQLite.
    /// - Returns: The database; whoever opened it closes it.
    /// - Throws: ``StoreError``.
    package func open(_ options: SQLiteDatabase.Options = .init()) throws -> any Database {
        switch self {
        case .memory: try SQLiteDatabase(inMemory: options)
        case .file(let path): try SQLiteDatabase(path: path, options: options)
        case .postgreSQL(let url): try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
        }
    }
}

/// A database for one test, on the store that the environment chose: in memory, or on PostgreSQL, where it is dropped
/// when nobody has it any more.
package final class TestDatabase: Database {
    private let database: any Database
    private let place: TestPlace

    package var dialect: Dialect { database.dialect }

    /// Makes an empty database, on PostgreSQL one with the schema.
    ///
    /// - Parameter options: For SQLite.
    /// - Throws: ``StoreError``.
    package init(_ options: SQLiteDatabase.Options = .init()) async throws {
        if TestPlace.isPostgreSQL {
            await TestPostgreSQL.turns.take()
            do {
                place = .postgreSQL(url: try await TestPostgreSQL.makeDatabase())
            } catch {
                await TestPostgreSQL.turns.giveBack()
                throw error
            }
        } else {
            place = .memory
        }
        database = try place.open(options)
    }

    deinit {
        let (database, place) = (database, place)
        guard case .postgreSQL(let url) = place else { return database.close() }
        Task.detached {
            database.close()
            try? await TestPostgreSQL.drop(url)
            await TestPostgreSQL.turns.giveBack()
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await database.read(body)
    }

    package func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await database.write(priority: priority, body)
    }

    package func close() { database.close() }
}
