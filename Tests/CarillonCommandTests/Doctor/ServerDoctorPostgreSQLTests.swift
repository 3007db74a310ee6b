import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import Foundation
import TestStores
import Testing

@testable import CarillonCommand

/// The doctor and another master key on PostgreSQL, beside nodes.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct ServerDoctorPostgreSQLTests {
    private func with(_ body: (ServerDoctorWorld) async throws -> Void) async throws {
        try await ServerDoctorWorld.with { world in
            try await TestPostgreSQL.withDatabase { url, _ in
                var world = world
                world.database = url
                try await body(world)
            }
        }
    }

    @Test("S1-operators-2 The doctor examines PostgreSQL's partitions and clock, with and without a node")
    func healthy() async throws {
        try await with { world in
            try await world.server { server in
                _ = try await server.engine.apps.create(AppRequest(name: "Bus", bundleID: "a.b"))
                let report = try await world.examine()
                #expect(report.problems.isEmpty, "\(report.findings.map(\.line))")
                #expect(report.findings(of: .partitions).count == 2)
                #expect(report.findings(of: .clock).first?.text.contains("PostgreSQL") == true)
            }
            try FileManager.default.removeItem(atPath: world.keyPath)
            #expect(try await world.examine().problems == [.masterKey])
        }
    }

    @Test("S1-operators-2 An unreachable database is reported without its password")
    func unreachable() async throws {
        try await ServerDoctorWorld.with { world in
            let report = try await world.examine("--database", "postgres://carillon:secret@127.0.0.1:1/carillon")
            #expect(report.problems == [.store])
            let line = try #require(report.trouble(.store).first)
            #expect(line.contains("postgres://carillon@127.0.0.1:1/carillon") && !line.contains("secret"))
        }
    }

    @Test("S1-m11 On PostgreSQL the first run adds the key, and the second one replaces the old")
    func masterKey() async throws {
        try await with { world in
            try await world.server { server in
                _ = try await server.engine.apps.create(AppRequest(name: "Bus", bundleID: "a.b"))
                let command = try RotateMasterKeyCommand.parse([
                    "--data", world.folder.path, "--database", try #require(world.database),
                ])

                let added = try await command.rotate(waiting: {})
                #expect(!added.isComplete)
                #expect(try MasterKeyFile.load(path: world.keyPath).count == 2)
                let done = try await command.rotate(waiting: {})

                #expect(done.isComplete && done.newKey == added.newKey)
                #expect(try MasterKeyFile.load(path: world.keyPath).count == 1)
                #expect(try await world.examine().problems.isEmpty)
                // The node that ran on does not know the key before it looks.
                #expect(await server.node.readiness().failures.map(\.code).contains("master-key-mismatch"))
            }
            try await world.server { _ in }
        }
    }
}
