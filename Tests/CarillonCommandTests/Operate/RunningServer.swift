import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import Logging
import Testing

@testable import CarillonCommand

/// A server on a folder of its own, and commands that speak to it as an operator's do.
struct RunningServer: Sendable {
    let composition: ServerComposition
    let folder: URL
    let address: String
    let app: AppID
    private let keyFile: String

    /// Runs a test against a server with one App.
    static func run(_ body: @Sendable @escaping (RunningServer) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try DataFolder.make(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = ServerConfiguration(folder: folder)
        configuration.server.port = 0
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let composition = try await ServerComposition(configuration, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await composition.run() }
            let port = try #require(await composition.port.value)
            let keyFile = folder.appendingPathComponent("key").path
            try Data(try #require(composition.firstKey).secret.utf8).write(to: URL(fileURLWithPath: keyFile))
            let apps = composition.engine.apps
            let app = try await apps.create(AppRequest(name: "Bus", bundleID: "org.example.bus"))
            let pushKey = try SampleKey(folder: folder)
            _ = try await apps.setPushKey(
                app.app.id,
                PushKeyRequest(
                    keyID: SampleKey.keyID,
                    teamID: SampleKey.teamID,
                    privateKey: try String(contentsOf: pushKey.file, encoding: .utf8)
                )
            )
            try await body(
                RunningServer(
                    composition: composition,
                    folder: folder,
                    address: "http://127.0.0.1:\(port)",
                    app: app.app.id,
                    keyFile: keyFile
                )
            )
            group.cancelAll()
        }
    }

    /// Runs a command as the command line would, without `carillon`.
    func command<Command: AsyncParsableCommand>(_ type: Command.Type, _ arguments: String...) async throws {
        let all = arguments + ["--server", address, "--key-file", keyFile, "--app", "\(app)"]
        guard var command = try Command.parseAsRoot(all) as? any AsyncParsableCommand else {
            throw ValidationError("It does not run.")
        }
        try await command.run()
    }

    /// What a command says when it is refused.
    func refusal<Command: AsyncParsableCommand>(_ type: Command.Type, _ arguments: [String]) async -> String? {
        do {
            let all = arguments + ["--server", address, "--key-file", keyFile, "--app", "\(app)"]
            guard var command = try Command.parseAsRoot(all) as? any AsyncParsableCommand else { return nil }
            try await command.run()
            return nil
        } catch {
            return Command.message(for: error)
        }
    }

    /// A file in the server's folder.
    func file(_ name: String, _ text: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
