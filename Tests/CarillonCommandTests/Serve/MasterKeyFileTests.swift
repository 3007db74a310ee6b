import CarillonEngine
import CarillonOperatorModel
import CarillonStore
import Foundation
import Logging
import NIOConcurrencyHelpers
import Testing

@testable import CarillonCommand

/// What becomes of the master key's file when it is rewritten, and of a node whose file is spoilt.
struct MasterKeyFileTests {
    private static let key = [UInt8](repeating: 1, count: 32)
    private static let other = [UInt8](repeating: 2, count: 32)

    private func facts(_ path: String) throws -> (owner: Int, group: Int, mode: Int) {
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        func number(_ key: FileAttributeKey) throws -> Int { try #require(facts[key] as? NSNumber).intValue }
        return (
            try number(.ownerAccountID), try number(.groupOwnerAccountID), try number(.posixPermissions) & 0o777
        )
    }

    @Test(
        "S1-m11 A rewritten key file keeps its owner, who can read it",
        .enabled(if: geteuid() == 0, "Only root gives files away.")
    )
    func keepsOwner() async throws {
        try await ServerDoctorWorld.with { world in
            try MasterKeyFile.save([Self.key], to: world.keyPath)
            try #require(chown(world.keyPath, 4_711, 4_712) == 0)

            try MasterKeyFile.save([Self.key, Self.other], to: world.keyPath)

            #expect(try facts(world.keyPath) == (4_711, 4_712, 0o600))
            #expect(try MasterKeyFile.load(path: world.keyPath) == [Self.key, Self.other])
        }
    }

    @Test(
        "S1-m11 A rewritten key file keeps its owner's permissions, and gives others none",
        arguments: [(0o600, 0o600), (0o400, 0o400), (0o644, 0o600)] as [(Int, Int)]
    )
    func keepsMode(_ former: Int, _ mode: Int) async throws {
        try await ServerDoctorWorld.with { world in
            try MasterKeyFile.save([Self.key], to: world.keyPath)
            #expect(try facts(world.keyPath).mode == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: former], ofItemAtPath: world.keyPath)

            try MasterKeyFile.save([Self.other], to: world.keyPath)

            #expect(try facts(world.keyPath).mode == mode)
            #expect(try MasterKeyFile.load(path: world.keyPath) == [Self.other])
            #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path) == ["master.key"])
        }
    }

    /// What may happen to a file.
    enum Damage: CaseIterable {
        case isCutOff, isDoubled, hasOtherKey, isLaidOpen, isGone

        func strike(_ path: String) throws {
            switch self {
            case .isCutOff: try write(Array(MasterKeyFileTests.key.dropLast()), to: path)
            case .isDoubled: try MasterKeyFile.save([MasterKeyFileTests.key, MasterKeyFileTests.key], to: path)
            case .hasOtherKey: try MasterKeyFile.save([MasterKeyFileTests.other], to: path)
            case .isLaidOpen: try #require(chmod(path, 0o640) == 0)
            case .isGone: try FileManager.default.removeItem(atPath: path)
            }
        }

        private func write(_ bytes: [UInt8], to path: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            try #require(chmod(path, 0o600) == 0)
        }
    }

    @Test(
        "S1-m11 A node with a corrupt key file logs one error, and continues with its keys",
        arguments: Damage.allCases
    )
    func spoilt(_ damage: Damage) async throws {
        try await ServerDoctorWorld.with { world in
            try MasterKeyFile.save([Self.key], to: world.keyPath)
            try await world.server { server in
                let node = try #require(Vault(masterKeys: [Self.key]))
                let log = ErrorLog()
                let check = MasterKeyCheck(store: server.stores.masterKeyChecks, apps: server.stores.apps)
                let watch = MasterKeyWatch(world.keyPath, check: check, vault: node, logger: log.logger)
                await watch.look()
                #expect(log.errors == [])

                let said = "This node cannot use its master key file, and continues with its current keys"
                for times in 1...2 {
                    try damage.strike(world.keyPath)
                    for _ in 0..<2 { await watch.look() }
                    #expect(log.errors == Array(repeating: said, count: times))
                    #expect(node.keys == Vault(masterKeys: [Self.key])?.keys)
                    #expect(try await check.opensStore(node) == true)

                    try MasterKeyFile.save([Self.key], to: world.keyPath)
                    await watch.look()
                    #expect(log.errors.count == times)
                }
            }
        }
    }
}

/// The errors that were logged.
private struct ErrorLog {
    private let lines = NIOLockedValueBox<[String]>([])

    var errors: [String] { lines.withLockedValue { $0 } }
    var logger: Logger { Logger(label: "test") { [lines] _ in Handler(lines: lines) } }

    private struct Handler: LogHandler {
        let lines: NIOLockedValueBox<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.level >= .error else { return }
            lines.withLockedValue { $0.append(event.message.description) }
        }
    }
}
