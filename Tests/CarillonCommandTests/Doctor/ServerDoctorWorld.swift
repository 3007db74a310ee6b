import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import Foundation
import Testing

@testable import CarillonCommand

/// A server's folder, which a test spoils and `carillon doctor server` then looks at.
struct ServerDoctorWorld {
    let folder: URL
    /// PostgreSQL's URL; `nil` for a file in the folder.
    var database: String?

    var storePath: String { folder.appendingPathComponent("carillon.sqlite").path }
    var keyPath: String { folder.appendingPathComponent("master.key").path }

    static func with(_ body: (ServerDoctorWorld) async throws -> Void) async throws {
        try await ServerFolder.with { try await body(ServerDoctorWorld(folder: $0)) }
    }

    var configuration: ServerConfiguration {
        var configuration = ServerConfiguration(folder: folder)
        configuration.server.port = 0
        if let database { configuration.store = ServerStore(database) }
        return configuration
    }

    /// Puts a server together on the folder, without running it, and closes it afterwards.
    @discardableResult
    func server<Value>(_ body: (ServerComposition) async throws -> Value) async throws -> Value {
        let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
        defer { server.close() }
        return try await body(server)
    }

    /// What the command finds.
    func examine(_ arguments: String..., environment: [String: String] = [:]) async throws -> ServerReport {
        var all = ["--data", folder.path, "--offline"] + arguments
        if !arguments.contains("--port") { all += ["--port", "0"] }
        if let database, !arguments.contains("--database") { all += ["--database", database] }
        return await (try DoctorServerCommand.parse(all)).examine(environment: environment)
    }
}

extension ServerReport {
    /// The findings of a check that are no `ok`, as lines.
    func trouble(_ check: ServerFinding.Check) -> [String] {
        findings(of: check).filter { $0.verdict != .ok }.map(\.line)
    }

    /// The checks that are problems.
    var problems: Set<ServerFinding.Check> { Set(findings.filter { $0.verdict == .problem }.map(\.check)) }
}
