import CarillonEngine
import CarillonModel
package import CarillonSQL
import CarillonStore
import Foundation

/// The PostgreSQL server that tests may use, if the environment names one.
///
/// `CARILLON_TEST_POSTGRES` is its URL, whose user may make databases. What tests leave there goes with the server, which
/// is meant to be a temporary one.
package enum TestPostgreSQL {
    /// The server's URL; `nil` when tests run on SQLite alone.
    package static let url = ProcessInfo.processInfo.environment["CARILLON_TEST_POSTGRES"]

    /// Databases that tests use one after another.
    static let pool = TestPool(limit: 64)

    /// The database with the schema, and what it is made of; made once a process.
    private static let template = Task<(name: String, schema: String), any Error> {
        let name = "template_\(getpid())"
        let url = try await make(name, from: nil)
        let database = try PostgreSQLDatabase(url, options: options)
        defer { database.close() }
        _ = try await Stores(migrating: database, now: Timestamp(rawValue: 1_700_000_000_000))
        return (name, try await database.schema())
    }

    private static let administration = Task<PostgreSQLDatabase, any Error> {
        guard let url else { throw StoreError.unavailable("CARILLON_TEST_POSTGRES is not set.") }
        return try PostgreSQLDatabase(url, options: options)
    }

    /// Few connections, since many tests run at once.
    package static var options: PostgreSQLDatabase.Options {
        var options = PostgreSQLDatabase.Options()
        options.readerCount = 2
        options.servingWriterCount = 2
        options.bulkWriterCount = 2
        options.readTime = .seconds(60)
        options.servingTime = .seconds(60)
        options.bulkTime = .seconds(60)
        return options
    }

    /// Lends a database that has our tables and no rows.
    ///
    /// - Parameter body: Is given its URL and a database that is open there.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; ``StoreError``.
    package static func withDatabase<Value>(
        _ body: (String, PostgreSQLDatabase) async throws -> Value
    ) async throws -> Value {
        let lent = try await pool.take()
        let result: Result<Value, any Error>
        do { result = .success(try await body(lent.url, lent.database)) } catch { result = .failure(error) }
        await pool.giveBack(lent)
        return try result.get()
    }

    /// Lends a database that has nothing at all.
    ///
    /// - Parameter body: Is given its URL.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; ``StoreError``.
    package static func withEmptyDatabase<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let url = try await makeDatabase(hasSchema: false)
        let result: Result<Value, any Error>
        do { result = .success(try await body(url)) } catch { result = .failure(error) }
        try await drop(url)
        return try result.get()
    }

    /// What a database with the schema is made of.
    static func schema() async throws -> String { try await template.value.schema }

    /// Makes a database; its URL.
    static func makeDatabase(hasSchema: Bool) async throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        return try await make(name, from: hasSchema ? try await template.value.name : nil)
    }

    /// Drops a database that ``makeDatabase(hasSchema:)`` made, whoever is still connected.
    static func drop(_ url: String) async throws {
        guard let name = URLComponents(string: url)?.path.dropFirst(), name.hasPrefix("test_") else { return }
        try await run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    private static func make(_ name: String, from template: String?) async throws -> String {
        try await run("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0")")
        guard var components = url.flatMap(URLComponents.init(string:)) else { return "" }
        components.path = "/" + name
        // A busy machine takes its time.
        components.queryItems = (components.queryItems ?? []) + [URLQueryItem(name: "connect_timeout", value: "60")]
        return components.string ?? ""
    }

    private static func run(_ statement: String) async throws {
        try await administration.value.runAlone(statement)
    }
}
