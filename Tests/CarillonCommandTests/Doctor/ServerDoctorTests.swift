import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Crypto
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import CarillonCommand

/// Each lockout and silence is staged as an operator meets it, and the doctor names it.
struct ServerDoctorTests {
    static func app(_ server: ServerComposition) async throws -> AppSecrets {
        try await server.engine.apps.create(AppRequest(name: "Bus", bundleID: "org.example.bus", identity: .open))
    }

    static let pushKey = PushKeyRequest(
        keyID: "ABC123DEFG",
        teamID: "DEF123GHIJ",
        privateKey: P256.Signing.PrivateKey().pemRepresentation
    )

    /// What an App without a push key takes.
    private static var draft: CampaignRequest {
        var request = CampaignRequest(audience: .all, message: Message(content: ["default": .init(body: "Hello")]))
        request.draft = true
        return request
    }

    @Test("S1-operators-2 A complete server has no problem, stopped or running")
    func healthy() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                _ = try await Self.app(server)
                let beside = try await world.examine()
                #expect(beside.problems.isEmpty, "\(beside.findings.map(\.line))")
            }
            let stopped = try await world.examine()
            #expect(stopped.isHealthy)
            // The first key was never used.
            #expect(stopped.findings.filter { $0.verdict == .warning }.map(\.check) == [.firstKey])
            let unseen = Set(ServerFinding.Check.allCases).subtracting(stopped.findings.map(\.check))
            #expect(unseen == [.partitions, .apns])
        }
    }

    @Test("S1-operators-2 The doctor changes nothing, also where there is no store yet")
    func changesNothing() async throws {
        try await ServerDoctorWorld.with { world in
            let report = try await world.examine()
            #expect(report.isHealthy)
            #expect(report.trouble(.store).count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path).isEmpty)

            try await world.server { _ in }
            let before = try Data(contentsOf: URL(fileURLWithPath: world.storePath))
            _ = try await world.examine()
            #expect(try Data(contentsOf: URL(fileURLWithPath: world.storePath)) == before)
        }
    }

    @Test("S1-operators-2 A master key that is missing, wrong, readable by others or short is reported")
    func masterKey() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { _ = try await Self.app($0) }
            let file = URL(fileURLWithPath: world.keyPath)
            let right = try Data(contentsOf: file)
            func trouble(_ key: Data?, mode: Int = 0o600) async throws -> String {
                try? FileManager.default.removeItem(at: file)
                if let key {
                    try key.write(to: file)
                    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
                }
                let report = try await world.examine()
                #expect(report.isHealthy == (report.trouble(.masterKey).isEmpty))
                return report.trouble(.masterKey).joined()
            }

            #expect(try await trouble(nil).hasPrefix("problem  master-key: The store has secrets, and there is no"))
            #expect(try await trouble(Data(repeating: 1, count: 32)).contains("does not open the store's secrets"))
            #expect(try await trouble(right, mode: 0o644).contains("chmod 600"))
            #expect(try await trouble(right.prefix(31)).contains("does not have 32 bytes"))
            #expect(try await trouble(right).isEmpty)
        }
    }

    @Test("S1-operators-1 A server without administrator keys is reported, with the command that creates one")
    func administrators() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                let first = try #require(server.firstKey)
                let database = server.stores.database
                _ = try await database.write { connection in
                    try connection.run("DELETE FROM api_keys WHERE id = $1", first.key.id)
                }
            }
            let report = try await world.examine()
            #expect(report.problems == [.adminKey])
            let line = try #require(report.trouble(.adminKey).first)
            #expect(line.hasSuffix("carillon keys create --data \(world.folder.path) admin --scope admin"))

            // An App's key and one that has expired administer nothing.
            try await world.server { server in
                let app = try await Self.app(server)
                _ = try await server.engine.access.createKey(
                    app: app.app.id,
                    APIKeyRequest(name: "app", scopes: [.admin])
                )
                #expect(server.firstKey != nil)
            }
            #expect(try await world.examine().problems.isEmpty)
        }
    }

    @Test("S1-operators-3 A malformed CA file is reported, and the rest is checked")
    func caFile() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { _ in }
            let report = try await world.examine("--apns-ca-file", "/nofile.pem")
            #expect(report.problems == [.apnsCA])
            #expect(report.trouble(.apnsCA).first?.contains("/nofile.pem cannot be read") == true)
        }
    }

    @Test("S1-operators-7 Apps that cannot send, and halted Campaigns, are reported")
    func apps() async throws {
        try await ServerDoctorWorld.with { world in
            let (keyless, damaged, campaign) = try await world.server { server in
                let (keyless, damaged) = (try await Self.app(server), try await Self.app(server))
                _ = try await server.engine.apps.setPushKey(damaged.app.id, Self.pushKey)
                #expect(try await world.examine().trouble(.pushKeys).isEmpty)
                let made = try await server.engine.campaigns.create(
                    app: keyless.app.id,
                    Self.draft
                )
                try await server.stores.database.write { connection in
                    _ = try connection.run(
                        "UPDATE campaigns SET state = 'paused', alarm = 'NoPushKey', next_at = NULL WHERE id = $1",
                        made.id
                    )
                    _ = try connection.run(
                        "UPDATE occurrences SET state = 'paused' WHERE campaign_id = $1",
                        made.id
                    )
                    _ = try connection.run(
                        "UPDATE push_keys SET private_key = $1 WHERE app_id = $2",
                        [UInt8](repeating: 0, count: 60),
                        damaged.app.id
                    )
                }
                return (keyless.app.id, damaged.app.id, made.id)
            }

            let report = try await world.examine()

            #expect(report.problems == [.pushKeys, .campaigns])
            let keys = report.trouble(.pushKeys)
            #expect(keys.count == 2)
            #expect(keys.contains { $0.contains("\(damaged): the push key ABC123DEFG does not open") })
            #expect(keys.contains { $0.contains("\(keyless) has Campaigns and no push key") })
            let halted = report.trouble(.campaigns)
            #expect(halted.count == 1)
            #expect(halted.first?.contains("\(campaign) of \(keyless) is paused: NoPushKey.") == true)
        }
    }

    @Test("S1-operators-8 A restored backup without a server, and a node on hold, are reported")
    func held() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                try await server.stores.restores.markRestored(from: Timestamp(rawValue: 1_700_000_000_000))
            }
            let report = try await world.examine("--hold")
            #expect(report.isHealthy)
            #expect(report.trouble(.restore).first?.contains("a copy of 2023-11-14T22:13:20.000Z") == true)
            #expect(report.trouble(.hold).count == 1)
            #expect(try await world.examine().trouble(.hold).isEmpty)
        }
    }

    @Test("S1-operators-17 A file that was migrated to PostgreSQL, and one of a newer version, are reported")
    func moved() async throws {
        try await ServerDoctorWorld.with { world in
            func note(_ step: String) async throws {
                let database = try SQLiteDatabase(path: world.storePath)
                defer { database.close() }
                try await database.write { connection in
                    _ = try connection.run("INSERT INTO schema_migrations (name, applied_at) VALUES ($1, 1)", step)
                }
            }
            try await world.server { _ in }
            try await note("9000 newer")
            #expect(try await world.examine().trouble(.schema).first?.contains("A newer version has") == true)
            try await note(PostgreSQLMigration.mark)
            let report = try await world.examine()
            #expect(report.problems == [.schema])
            #expect(report.trouble(.schema).first?.contains("was moved to PostgreSQL") == true)
        }
    }

    @Test("S1-operators-1 A port of another program is reported; a running server reports its readiness")
    func port() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { _ in }
            let group = MultiThreadedEventLoopGroup.singleton
            let other = try await ServerBootstrap(group: group).childChannelInitializer { channel in
                channel.close()
            }.bind(host: "127.0.0.1", port: 0).get()
            let port = try #require(other.localAddress?.port)
            let taken = try await world.examine("--port", "\(port)")
            #expect(taken.problems == [.listening])
            #expect(taken.trouble(.listening).first?.contains("Another program listens at 127.0.0.1:\(port)") == true)
            try await other.close()

            let server = try await ServerComposition(world.configuration, logger: ServerFolder.silent)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await server.run() }
                let port = try #require(await server.port.value)
                let beside = try await world.examine("--port", "\(port)")
                #expect(beside.trouble(.listening).isEmpty)
                #expect(beside.findings(of: .listening).first?.text.contains("is ready") == true)
                tasks.cancelAll()
            }
        }
    }

    @Test("S1-operators-2 Invalid settings are one problem, and nothing else is checked")
    func settings() async throws {
        try await ServerDoctorWorld.with { world in
            let report = try await world.examine("--role", "nothing")
            #expect(report.findings.map(\.check) == [.configuration])
            #expect(!report.isHealthy)
            let fromEnvironment = try await world.examine(environment: ["CARILLON_HOLD": "true"])
            #expect(fromEnvironment.trouble(.hold).count == 1)
        }
    }

    @Test("S1-operators-9 Due work that nobody does is reported")
    func standingWork() async throws {
        try await ServerDoctorWorld.with { world in
            let campaign = try await world.server { server in
                let app = try await Self.app(server)
                _ = try await server.engine.apps.setPushKey(app.app.id, Self.pushKey)
                let made = try await server.engine.campaigns.create(
                    app: app.app.id,
                    CampaignRequest(
                        audience: .all,
                        message: Message(content: ["default": .init(body: "Hello")])
                    )
                )
                #expect(try await world.examine().trouble(.work).isEmpty)
                try await server.stores.database.write { connection in
                    _ = try connection.run("UPDATE occurrences SET started_at = 1 WHERE campaign_id = $1", made.id)
                }
                return made.id
            }
            let report = try await world.examine()
            #expect(report.problems == [.work])
            #expect(report.trouble(.work).first?.contains("\(campaign) has devices to read since ") == true)
            #expect(try await world.examine("--hold").problems == [])
        }
    }

    @Test("S1-operators-2 Each finding is one line, as text and as JSON")
    func lines() throws {
        let finding = ServerFinding.problem(.campaigns, "It stopped:\nfor\u{1B}[2J reasons.", "Look.")
        #expect(finding.line == "problem  campaigns: It stopped: for [2J reasons. → Look.")
        let json = try finding.json
        #expect(!json.contains("\n"))
        #expect(json.hasPrefix("{\"advice\":\"Look.\",\"check\":\"campaigns\",\"text\":"))
        #expect(json.hasSuffix("\"verdict\":\"problem\"}"))
    }
}
