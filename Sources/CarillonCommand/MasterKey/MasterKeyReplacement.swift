import CarillonEngine
import CarillonModel
import CarillonStore
import Foundation

/// One run of a rotation of the master key: it continues where the previous run ended.
struct MasterKeyReplacement: Sendable {
    let stores: Stores
    /// The key file.
    let path: String
    /// The file of the new key; `nil` generates one.
    var newKeyPath: String?
    /// Whether the run that adds the new key to the file ends there, so that the file can be copied to other nodes.
    let isInSteps: Bool
    /// Waits until all nodes have reloaded the file.
    let wait: @Sendable () async throws -> Void

    private var check: MasterKeyCheck { MasterKeyCheck(store: stores.masterKeyChecks, apps: stores.apps) }

    func run() async throws -> MasterKeyOutcome {
        var keys = try MasterKeyFile.load(path: path, mayMake: false)
        let vault = try vault(keys)
        guard try await check.accepts(vault) else {
            throw CommandFailure(
                description: "The keys in \(path) do not open the store's secrets. Restore the right file first."
            )
        }
        let known = try await check.keys(of: vault)
        guard let old = known.current else {
            throw CommandFailure(description: "The store has no master key yet. Start carillon serve on it once.")
        }
        if let next = known.next { return try await complete(from: old, to: next, keys) }
        let others = vault.keys.filter { $0 != old }
        if let leftover = others.first, others.count == 1 {
            // New keys are added after the store's own. A run that was interrupted at its end left the old one before
            // it.
            guard vault.keys.last == leftover else { return try retire(leftover, keeping: old, keys, .init()) }
            return try await complete(from: old, to: leftover, keys)
        }
        guard others.isEmpty else {
            throw CommandFailure(
                description: "\(path) has more than two keys. Leave those of the store and at most one new one in it."
            )
        }
        let new = try newKey()
        keys.append(new)
        let id = try self.vault(keys).keys[1]
        try MasterKeyFile.save(keys, to: path)
        if isInSteps {
            return MasterKeyOutcome(isComplete: false, keyFile: path, oldKey: "\(old)", newKey: "\(id)")
        }
        return try await complete(from: old, to: id, keys)
    }

    // MARK: - Private

    private func vault(_ keys: [[UInt8]]) throws -> Vault {
        guard let vault = Vault(masterKeys: keys) else {
            throw CommandFailure(description: "The new key is one of those in \(path) already, or there are too many.")
        }
        return vault
    }

    private func newKey() throws -> [UInt8] {
        guard let newKeyPath else { return RandomBytes.system(Vault.keyByteCount) }
        let keys = try MasterKeyFile.load(path: newKeyPath, mayMake: false)
        guard keys.count == 1, let key = keys.first else {
            throw CommandFailure(description: "\(newKeyPath) must have one key of \(Vault.keyByteCount) bytes.")
        }
        return key
    }

    private func complete(
        from old: MasterKeyID,
        to new: MasterKeyID,
        _ keys: [[UInt8]]
    ) async throws -> MasterKeyOutcome {
        let rotation = MasterKeyRotation(
            values: stores.sealedValues,
            checks: stores.masterKeyChecks,
            vault: try vault(keys),
            waitForNodes: wait
        )
        return try retire(old, keeping: new, keys, try await rotation.run(to: new))
    }

    /// Moves a key from the file to another file beside it.
    private func retire(
        _ old: MasterKeyID,
        keeping new: MasterKeyID,
        _ keys: [[UInt8]],
        _ report: MasterKeyRotation.Report
    ) throws -> MasterKeyOutcome {
        let ids = try vault(keys).keys
        let former = zip(ids, keys).filter { $0.0 == old }.map(\.1)
        let kept = zip(ids, keys).filter { $0.0 != old }.map(\.1)
        let oldPath = path + ".\(old).old"
        try MasterKeyFile.save(former, to: oldPath)
        try MasterKeyFile.save(kept, to: path)
        var outcome = MasterKeyOutcome(isComplete: true, keyFile: path, oldKey: "\(old)", newKey: "\(new)")
        outcome.oldKeyFile = oldPath
        outcome.resealed = report.resealed
        outcome.unreadable = Dictionary(uniqueKeysWithValues: report.unreadable.map { ($0.key.rawValue, $0.value) })
        return outcome
    }
}
