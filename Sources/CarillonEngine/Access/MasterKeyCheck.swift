import CarillonModel
import CarillonOperatorModel

/// The check values that identify the store's master keys.
package struct SealedChecks: Hashable, Sendable {
    /// Sealed with the store's key; `nil` when it has none yet.
    package var current: [UInt8]?
    /// Sealed with the key that will replace it; `nil` unless the master key is being replaced.
    package var next: [UInt8]?

    package init(current: [UInt8]? = nil, next: [UInt8]? = nil) {
        self.current = current
        self.next = next
    }
}

/// Stores the check values of master keys.
package protocol MasterKeyCheckStore: Sendable {
    /// The check values.
    func sealedChecks() async throws(StoreError) -> SealedChecks

    /// Saves a check value if there is none, in one transaction.
    ///
    /// - Parameter sealed: The value, sealed with the master key.
    /// - Returns: The stored value: this one, or that of a node that was faster.
    /// - Throws: ``StoreError``.
    func saveCheck(_ sealed: [UInt8]) async throws(StoreError) -> [UInt8]

    /// Saves the check value of the key that will replace the store's; replaces a former one.
    func setNextCheck(_ sealed: [UInt8]) async throws(StoreError)

    /// Makes a check value the store's only one, in one transaction.
    func completeRotation(_ sealed: [UInt8]) async throws(StoreError)
}

/// Checks whether a master key opens the store's sealed values, before anything is sealed with it.
package struct MasterKeyCheck: Sendable {
    static let purpose = "master-key-check"

    private let store: any MasterKeyCheckStore
    private let apps: any AppStore

    /// - Parameters:
    ///   - store: Stores the check values.
    ///   - apps: Stores secrets that an earlier version sealed.
    package init(store: any MasterKeyCheckStore, apps: any AppStore) {
        self.store = store
        self.apps = apps
    }

    /// Whether the store has sealed values, so that a new master key cannot be right.
    package func needsKnownKey() async throws(StoreError) -> Bool {
        if try await store.sealedChecks().current != nil { return true }
        return try await !apps.apps(after: nil, limit: 1).isEmpty
    }

    /// Checks the keys and lets the store's own key seal; makes the first key the store's if there is none yet.
    ///
    /// A store of an earlier version has no check value: a key must open the secret of an App, if there is one.
    ///
    /// - Parameter vault: The keys; both while the master key is replaced. When they do not suffice, it stops sealing
    ///   until they do.
    /// - Returns: Whether they open all sealed values of the store.
    /// - Throws: ``StoreError``.
    package func accepts(_ vault: Vault) async throws(StoreError) -> Bool {
        if try await hasChosen(for: vault) { return true }
        vault.stopSealing()
        return false
    }

    /// Whether the keys open the store's sealed values; writes nothing.
    ///
    /// - Parameter vault: The keys.
    /// - Returns: `nil` when nothing is sealed yet.
    /// - Throws: ``StoreError``.
    package func opensStore(_ vault: Vault) async throws(StoreError) -> Bool? {
        let checks = try await store.sealedChecks()
        if let current = checks.current {
            return key(of: current, vault) != nil && checks.next.map { key(of: $0, vault) != nil } ?? true
        }
        return try await needsKnownKey() ? try await opensAppSecret(vault) : nil
    }

    /// The ids of the store's key and of the key that will replace it, as far as the vault has them.
    package func keys(of vault: Vault) async throws(StoreError) -> (current: MasterKeyID?, next: MasterKeyID?) {
        let checks = try await store.sealedChecks()
        return (checks.current.flatMap { key(of: $0, vault) }, checks.next.flatMap { key(of: $0, vault) })
    }

    // MARK: - Private

    private func hasChosen(for vault: Vault) async throws(StoreError) -> Bool {
        let checks = try await store.sealedChecks()
        if checks.current != nil { return choose(checks, for: vault) }
        guard let known = try await keyOfAppSecret(vault) ?? vault.keys.first else { return false }
        guard try await opensAppSecret(vault), vault.seal(with: known) else { return false }
        // Of two nodes that start at once one saves its value; the other's key must open it.
        let kept = try await store.saveCheck(try vault.seal([], purpose: Self.purpose))
        return choose(SealedChecks(current: kept), for: vault)
    }

    private func key(of check: [UInt8], _ vault: Vault) -> MasterKeyID? {
        vault.opened(check, purpose: Self.purpose)?.key
    }

    /// Selects the sealing key; false when a key is missing.
    private func choose(_ checks: SealedChecks, for vault: Vault) -> Bool {
        guard let current = checks.current.flatMap({ key(of: $0, vault) }) else { return false }
        guard let next = checks.next else { return vault.seal(with: current) }
        guard let id = key(of: next, vault) else { return false }
        return vault.seal(with: id)
    }

    private func opensAppSecret(_ vault: Vault) async throws(StoreError) -> Bool {
        guard try await !apps.apps(after: nil, limit: 1).isEmpty else { return true }
        return try await keyOfAppSecret(vault) != nil
    }

    private func keyOfAppSecret(_ vault: Vault) async throws(StoreError) -> MasterKeyID? {
        guard let first = try await apps.apps(after: nil, limit: 1).first,
            let stored = try await apps.storedApp(first.id)
        else { return nil }
        return vault.opened(stored.secrets.identitySecret, purpose: .identitySecret(first.id))?.key
    }
}
