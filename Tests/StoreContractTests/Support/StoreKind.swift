import CarillonEngine
import CarillonSQL
import CarillonStore
import Foundation
import TestStores
import TestSupport
import Testing

/// The databases on which the contract is tested.
///
/// Each test has a separate one.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case sqliteInMemory = "SQLite in memory"
    case sqliteFile = "SQLite in a file"
    case postgreSQL = "PostgreSQL"

    /// Includes PostgreSQL when the environment names a server.
    static var allCases: [StoreKind] {
        [.sqliteInMemory, .sqliteFile] + (TestPostgreSQL.url == nil ? [] : [.postgreSQL])
    }

    var testDescription: String { rawValue }

    /// Runs a test on an empty database, and removes it afterwards.
    ///
    /// - Parameters:
    ///   - hasSchema: Whether PostgreSQL's database may have the schema already, which is faster than creating it.
    ///   - body: The test.
    /// - Returns: What the test returns.
    /// - Throws: What the test throws.
    func withDatabase<Result>(
        hasSchema: Bool = true,
        _ body: (any Database) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .sqliteInMemory:
            let database = try SQLiteDatabase(inMemory: .forTests)
            defer { database.close() }
            return try await body(database)
        case .sqliteFile:
            return try await withTemporaryFolder { folder in
                let database = try SQLiteDatabase(path: folder.appending(path: "store.sqlite").path, options: .forTests)
                defer { database.close() }
                return try await body(database)
            }
        case .postgreSQL:
            return try await withPostgreSQL(hasSchema: hasSchema) { url in
                let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
                defer { database.close() }
                return try await body(database)
            }
        }
    }
}

/// Provides the URL of a separate database.
func withPostgreSQL<Result>(hasSchema: Bool = true, _ body: (String) async throws -> Result) async throws -> Result {
    guard hasSchema else { return try await TestPostgreSQL.withEmptyDatabase(body) }
    return try await TestPostgreSQL.withDatabase { url, _ in try await body(url) }
}
