import CarillonModel
import CarillonOperatorModel

/// Keeps the value that tells whether a master key is the store's.
package protocol MasterKeyCheckStore: Sendable {
    /// The check value; `nil` when the store has none yet.
    func sealedCheck() async throws(StoreError) -> [UInt8]?

    /// Keeps a check value if there is none, in one transaction.
    ///
    /// - Parameter sealed: The value, sealed with the master key.
    /// - Returns: The value that the store has now: this one, or that of a node that was faster.
    /// - Throws: ``StoreError``.
    func keepCheck(_ sealed: [UInt8]) async throws(StoreError) -> [UInt8]
}

/// Finds out whether a master key opens what the store has sealed, before anything is sealed with it.
package struct MasterKeyCheck: Sendable {
    private static let purpose = "master-key-check"

    private let store: any MasterKeyCheckStore
    private let apps: any AppStore

    /// - Parameters:
    ///   - store: Keeps the check value.
    ///   - apps: Has secrets that an earlier version sealed.
    package init(store: any MasterKeyCheckStore, apps: any AppStore) {
        self.store = store
        self.apps = apps
    }

    /// Whether a new master key could not be the right one.
    package func needsKnownKey() async throws(StoreError) -> Bool {
        if try await store.sealedCheck() != nil { return true }
        return try await !apps.apps(after: nil, limit: 1).isEmpty
    }

    /// Checks a key, and has it be the store's if there is none yet.
    ///
    /// A store of an earlier version has no check value: the key must open the secret of an App, if there is one.
    ///
    /// - Parameter vault: Has the key.
    /// - Returns: Whether it is the store's key.
    /// - Throws: ``StoreError``.
    package func accepts(_ vault: Vault) async throws(StoreError) -> Bool {
        if let kept = try await store.sealedCheck() { return opens(kept, vault) }
        guard try await opensAppSecret(vault) else { return false }
        // Of two nodes that start at once one keeps its value; the key of the other must open that one.
        return opens(try await store.keepCheck(vault.seal([], purpose: Self.purpose)), vault)
    }

    // MARK: - Private

    private func opens(_ sealed: [UInt8], _ vault: Vault) -> Bool { vault.open(sealed, purpose: Self.purpose) != nil }

    private func opensAppSecret(_ vault: Vault) async throws(StoreError) -> Bool {
        guard let first = try await apps.apps(after: nil, limit: 1).first,
            let stored = try await apps.storedApp(first.id)
        else { return true }
        return vault.open(stored.secrets.identitySecret, purpose: .identitySecret(first.id)) != nil
    }
}
