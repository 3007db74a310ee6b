import CarillonEngine
import CarillonModel
package import CarillonStore
import Foundation

/// The PostgreSQL server that tests may use, if the environment names one.
///
/// `CARILLON_TEST_POSTGRES` is its URL, whose user may make databases. Each test gets a database of its own, copied from
/// one that has the schema, and dropped afterwards.
package enum TestPostgreSQL {
    /// The server's URL; `nil` when tests run on SQLite alone.
    package static let url = ProcessInfo.processInfo.environment["CARILLON_TEST_POSTGRES"]

    /// Databases that tests hold at once, each with some connections: tests run in their hundreds beside each other.
    static let turns = Turns(64)

    /// The database with the schema; made once a process.
    private static let template = Task<String, any Error> {
        let name = "template_\(getpid())"
        let url = try await make(name, from: nil)
        let database = try PostgreSQLDatabase(url, options: options)
        defer { database.close() }
        _ = try await Stores(migrating: database, now: Timestamp(rawValue: 1_700_000_000_000))
        return name
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
        options.readTime = .seconds(10)
        return options
    }

    /// Makes a database.
    ///
    /// - Parameter hasSchema: Whether it has our tables, or nothing.
    /// - Returns: Its URL.
    /// - Throws: ``StoreError``.
    package static func makeDatabase(hasSchema: Bool = true) async throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        return try await make(name, from: hasSchema ? try await template.value : nil)
    }

    /// Drops a database that ``makeDatabase(hasSchema:)`` made, whoever is still connected.
    package static func drop(_ url: String) async throws {
        guard let name = URLComponents(string: url)?.path.dropFirst(), name.hasPrefix("test_") else { return }
        try await run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    private static func make(_ name: String, from template: String?) async throws -> String {
        try await run("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0")")
        guard var components = url.flatMap(URLComponents.init(string:)) else { return "" }
        components.path = "/" + name
        return components.string ?? ""
    }

    private static func run(_ statement: String) async throws {
        try await administration.value.runAlone(statement)
    }
}

/// Lets so many in at once.
actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
