import CarillonEngine
import CarillonStore
import Foundation
import Testing

/// The databases that the contract is held against.
///
/// Each test has one of its own.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case sqliteInMemory = "SQLite in memory"
    case sqliteFile = "SQLite in a file"

    var testDescription: String { rawValue }

    /// Runs a test on an empty database without a schema, and removes it afterwards.
    func withDatabase<Result>(_ body: (any Database) async throws -> Result) async throws -> Result {
        switch self {
        case .sqliteInMemory:
            let database = try SQLiteDatabase(inMemory: .init())
            defer { database.close() }
            return try await body(database)
        case .sqliteFile:
            return try await withTemporaryFolder { folder in
                let database = try SQLiteDatabase(path: folder.appending(path: "store.sqlite").path)
                defer { database.close() }
                return try await body(database)
            }
        }
    }
}

/// Lends a folder that is removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
