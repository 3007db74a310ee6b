import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import NIOCore
import ServiceLifecycle
import Testing

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The first start of a server, and the ways back in.
struct FirstStartTests {
    private func configuration(_ folder: URL, port: Int = 0) -> ServerConfiguration {
        var configuration = ServerConfiguration(folder: folder)
        configuration.server.port = port
        return configuration
    }

    /// Runs a server, and ends it when the body is done.
    private func run<Value: Sendable>(
        _ configuration: ServerConfiguration,
        _ body: @Sendable @escaping (ServerComposition, Int) async throws -> Value
    ) async throws -> Value {
        let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await server.port.value)
            let value = try await body(server, port)
            group.cancelAll()
            return value
        }
    }

    private static func status(_ port: Int, key: String) async throws -> Int? {
        var request = URLRequest(
            url: try #require(URL(string: "http://127.0.0.1:\(port)/v1/apps")),
            timeoutInterval: 30
        )
        request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization")
        return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode
    }

    @Test("O2-1 A start on a port in use is reported, and the next one still has the first key")
    func busyPort() async throws {
        try await ServerFolder.with { other in
            try await ServerFolder.with { folder in
                let shown = try await run(configuration(other)) { [self] _, port in
                    let taken = configuration(folder, port: port)
                    let server = try await ServerComposition(taken, logger: ServerFolder.silent)
                    let error = await #expect(throws: IOError.self) { try await server.run() }
                    let text = ServeCommand.cannotListen(taken, try #require(error))
                    #expect(text.hasPrefix("Cannot listen at 127.0.0.1:\(port): Address already in use."))
                    return try #require(server.firstKey)
                }
                try await run(configuration(folder)) { server, port in
                    #expect(server.firstKey == shown)
                    let status = try await Self.status(port, key: shown.secret)
                    #expect(status == 200)
                }
                try await run(configuration(folder)) { server, _ in #expect(server.firstKey == nil) }
            }
        }
    }

    @Test("O2-1 A key is created in the store when the last one is lost")
    func offlineKey() async throws {
        try await ServerFolder.with { folder in
            try await run(configuration(folder)) { server, port in
                _ = try await Self.status(port, key: try #require(server.firstKey).secret)
                let beside = try KeysCommand.Create.parse(["--data", folder.path, "new", "--scope", "admin"])
                await #expect(throws: StoreError.self) { try await beside.make() }
            }
            let made = try await KeysCommand.Create.parse(["--data", folder.path, "new", "--scope", "admin"]).make()

            try await run(configuration(folder)) { _, port in
                let status = try await Self.status(port, key: made.secret)
                #expect(status == 200)
            }
        }
    }

    @Test("An admin of the console is made in the store when none can sign in, and it is recorded")
    func offlineAdmin() async throws {
        try await ServerFolder.with { folder in
            try await run(configuration(folder)) { _, _ in
                let beside = try OperatorsCommand.CreateAdmin.parse(["--data", folder.path, "mei@example.com"])
                await #expect(throws: StoreError.self) { try await beside.make() }
            }
            let made = try await OperatorsCommand.CreateAdmin.parse(["--data", folder.path, "mei@example.com"]).make()
            #expect(made.link.kind == .invite && made.person.role == .admin)
            let wrong = try OperatorsCommand.CreateAdmin.parse(["--data", folder.path, " "])
            await #expect(throws: CommandFailure.self) { try await wrong.make() }

            try await run(configuration(folder)) { server, port in
                let url = try #require(URL(string: "http://127.0.0.1:\(port)\(made.link.path)"))
                let response = try await URLSession.shared.data(for: URLRequest(url: url, timeoutInterval: 30)).1
                // The link opens although there is no active admin.
                #expect((response as? HTTPURLResponse)?.statusCode == 200)
                #expect(response.url?.path == made.link.path)
                #expect(try await server.engine.operators.list(after: nil, limit: 10).items == [made.person])
                let entry = try await server.engine.audit.entries(AuditQuery(), limit: 1).items.first
                #expect(entry?.action == "carillon operators create-admin" && entry?.actor == "command")
                #expect(entry?.object == made.person.id.description)
                #expect(entry?.change == "state: - → invited; role: - → admin")
            }
        }
    }

    @Test("O2-1 Creating a key does not create a store")
    func noStore() async throws {
        try await ServerFolder.with { folder in
            let command = try KeysCommand.Create.parse(["--data", folder.path, "new", "--scope", "admin"])
            await #expect(throws: CommandFailure.self) { try await command.make() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test(
        "S1-m5 The first key is printed in a terminal or written to a file for its owner, never to a log",
        arguments: [true, false]
    )
    func firstKeyOutput(_ isJSON: Bool) async throws {
        try await ServerFolder.with { folder in
            let configuration = configuration(folder)
            let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
            server.close()
            let key = try #require(server.firstKey)
            var announcement = ServerAnnouncement(configuration, folder: folder, isJSON: isJSON, isTerminal: false)
            announcement.firstKey = key
            let file = folder.appendingPathComponent("admin.key")

            let text = try announcement.text(port: 1)

            #expect(!text.contains(key.secret))
            #expect(text.contains(file.path))
            #expect(try String(contentsOf: file, encoding: .utf8) == key.secret + "\n")
            #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)

            var shown = ServerAnnouncement(configuration, folder: folder, isJSON: isJSON, isTerminal: true)
            shown.firstKey = key
            #expect(try shown.text(port: 1).contains(key.secret) != isJSON)
        }
    }

    @Test("O2-8 A server on hold has the API and sends nothing", arguments: [true, false])
    func held(_ isHeld: Bool) async throws {
        try await ServerFolder.with { folder in
            var configuration = configuration(folder)
            configuration.holdsBack = isHeld
            let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
            defer { server.close() }
            let services = try server.services()

            #expect(services.contains { $0 is Dispatcher } != isHeld)
            #expect(services.contains { $0 is WebhookDispatcher } != isHeld)
            #expect(services.contains { $0 is Retention } != isHeld)
        }
    }

    @Test("O2-16 A failure of a running command is one line")
    func failures() {
        #expect("\(CommandFailure.described(StoreError.unavailable("The file is away.")))" == "The file is away.")
        #expect("\(CommandFailure.described(EngineError.store(.full)))" == "The disk is full.")
        let told = CommandFailure.described(ServerSettings.Failure(description: "port must be an integer."))
        #expect("\(told)" == "port must be an integer.")
    }
}
