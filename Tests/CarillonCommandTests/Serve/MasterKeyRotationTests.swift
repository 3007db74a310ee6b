import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import Foundation
import Logging
import Testing

@testable import CarillonCommand

/// `carillon rotate-master-key`, and nodes that run meanwhile.
struct MasterKeyRotationTests {
    private func rotate(_ world: ServerDoctorWorld, _ arguments: String...) async throws -> MasterKeyOutcome {
        try await RotateMasterKeyCommand.parse(["--data", world.folder.path] + arguments).rotate(waiting: {})
    }

    @Test("S1-m11 A server on SQLite has another master key after one run, and the old one opens nothing")
    func file() async throws {
        try await ServerDoctorWorld.with { world in
            let (first, app) = try await world.server { server in
                let app = try await server.engine.apps.create(AppRequest(name: "Bus", bundleID: "org.example.bus"))
                return (server.firstKey, app.app.id)
            }
            let old = try MasterKeyFile.load(path: world.keyPath)

            let outcome = try await rotate(world)

            #expect(outcome.isComplete && outcome.unreadable.isEmpty)
            #expect(outcome.resealed == 3)
            let new = try MasterKeyFile.load(path: world.keyPath)
            #expect(new.count == 1 && new != old)
            let kept = try #require(outcome.oldKeyFile)
            #expect(try MasterKeyFile.load(path: kept) == old)
            #expect(try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions] as? Int == 0o600)
            try await world.server { server in
                #expect(server.firstKey == first)
                _ = try await server.engine.apps.receiptKey(for: app)
            }
            #expect(try await world.examine().problems.isEmpty)

            try MasterKeyFile.save(old, to: world.keyPath)
            await #expect(throws: StoreError.self) { try await world.server { _ in } }
            #expect(try await world.examine().problems == [.masterKey])
        }
    }

    @Test("S1-m11 A run that was interrupted before it removed the old key is continued")
    func cutOffAtTheEnd() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { _ = try await $0.engine.apps.create(AppRequest(name: "Bus", bundleID: "a.b")) }
            let old = try MasterKeyFile.load(path: world.keyPath)
            _ = try await rotate(world)
            let new = try MasterKeyFile.load(path: world.keyPath)
            try MasterKeyFile.save(old + new, to: world.keyPath)

            let outcome = try await rotate(world)

            #expect(outcome.isComplete && outcome.resealed == 0)
            #expect(try MasterKeyFile.load(path: world.keyPath) == new)
        }
    }

    @Test("S1-m11 The new key may come from a file; a malformed file changes nothing")
    func newKeyFile() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { _ in }
            let old = try MasterKeyFile.load(path: world.keyPath)
            let path = world.folder.appendingPathComponent("new.key").path
            try Data([1]).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            await #expect(throws: StoreError.self) { try await rotate(world, "--new-key-file", path) }
            #expect(try MasterKeyFile.load(path: world.keyPath) == old)
            let key = [UInt8](repeating: 3, count: 32)
            try MasterKeyFile.save([key], to: path)

            _ = try await rotate(world, "--new-key-file", path)

            #expect(try MasterKeyFile.load(path: world.keyPath) == [key])
        }
    }

    @Test("S1-m11 A running node reloads the key file, and seals with the new key")
    func node() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                let app = try await server.engine.apps.create(AppRequest(name: "Bus", bundleID: "a.b")).app.id
                let old = try MasterKeyFile.load(path: world.keyPath)
                let node = try #require(Vault(masterKeys: old))
                let check = MasterKeyCheck(store: server.stores.masterKeyChecks, apps: server.stores.apps)
                let watch = MasterKeyWatch(
                    world.keyPath,
                    check: check,
                    vault: node,
                    logger: ServerFolder.silent
                )
                await watch.look()
                #expect(try await check.opensStore(node) == true)
                func replacement(inSteps: Bool) -> MasterKeyReplacement {
                    MasterKeyReplacement(
                        stores: server.stores,
                        path: world.keyPath,
                        isInSteps: inSteps,
                        wait: { await watch.look() }
                    )
                }

                let added = try await replacement(inSteps: true).run()
                #expect(!added.isComplete)
                #expect(try MasterKeyFile.load(path: world.keyPath).count == 2)
                // Before the store speaks of the new key: no node is unready when it does.
                await watch.look()
                #expect(node.keys.count == 2)
                #expect(try await check.opensStore(node) == true)
                let done = try await replacement(inSteps: true).run()

                #expect(done.isComplete && done.newKey == added.newKey)
                #expect("\(node.sealingKey)" == done.newKey)
                #expect(try await check.opensStore(node) == true)
                let stored = try #require(try await server.stores.apps.storedApp(app))
                #expect(node.open(stored.secrets.receiptKey, purpose: "app-receipt-key \(app)") != nil)
            }
        }
    }

    @Test("S1-m11 A node whose file lacks the new key logs it and keeps the old one")
    func nodeWithoutKey() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                let old = try MasterKeyFile.load(path: world.keyPath)
                let node = try #require(Vault(masterKeys: old))
                let new = try #require(Vault(masterKey: [UInt8](repeating: 5, count: 32)))
                try await server.stores.masterKeyChecks.setNextCheck(try new.seal([], purpose: "master-key-check"))
                let check = MasterKeyCheck(store: server.stores.masterKeyChecks, apps: server.stores.apps)

                await MasterKeyWatch(
                    world.keyPath,
                    check: check,
                    vault: node,
                    logger: ServerFolder.silent
                ).look()

                #expect(node.keys.count == 1)
                #expect(try await check.opensStore(node) == false)
                #expect(try await world.examine().problems == [.masterKey])
            }
        }
    }

    @Test("S2-1 A node seals nothing from when its file lacks the new key until it has it")
    func nodeWithoutKeySealsNothing() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                let old = try MasterKeyFile.load(path: world.keyPath)
                let node = try #require(Vault(masterKeys: old))
                let check = MasterKeyCheck(store: server.stores.masterKeyChecks, apps: server.stores.apps)
                let watch = MasterKeyWatch(world.keyPath, check: check, vault: node, logger: ServerFolder.silent)
                let copy = world.folder.appendingPathComponent("other-node.key").path
                try MasterKeyFile.save(old, to: copy)
                await watch.look()
                let sealed = try node.seal([1], purpose: "a")
                var replacement = MasterKeyReplacement(
                    stores: server.stores,
                    path: copy,
                    isInSteps: false,
                    wait: {
                        await watch.look()
                        #expect(throws: StoreError.staleMasterKey) { try node.seal([2], purpose: "a") }
                    }
                )
                replacement.newKeyPath = nil

                #expect(try await replacement.run().isComplete)

                // Nor after it, for as long as the file is not there; what it has it opens.
                await watch.look()
                #expect(throws: StoreError.staleMasterKey) { try node.seal([2], purpose: "a") }
                #expect(node.open(sealed, purpose: "a") == [1])
                try MasterKeyFile.save(try MasterKeyFile.load(path: copy), to: world.keyPath)
                await watch.look()
                let new = try #require(Vault(masterKeys: try MasterKeyFile.load(path: copy)))
                #expect(new.open(try node.seal([2], purpose: "a"), purpose: "a") == [2])
            }
        }
    }
}
