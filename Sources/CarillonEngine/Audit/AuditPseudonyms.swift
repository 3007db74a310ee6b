package import CarillonModel
import Crypto
import Foundation
import NIOConcurrencyHelpers

/// Names people and Devices in the audit log: the same each time, and nobody can tell whom without the master key.
///
/// A hash without a key would be read back by trying ids, as those that are telephone numbers, out of a backup and after
/// the person was erased. The key is one for the server, random, sealed in the store and never shown.
package final class AuditPseudonyms: Sendable {
    /// What the key is sealed for.
    static let purpose = "audit pseudonyms"
    private static let keyByteCount = 32

    private let store: any AuditStore
    private let vault: Vault
    private let random: RandomBytes
    private let key = NIOLockedValueBox<[UInt8]?>(nil)

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Keeps the sealed key.
    ///   - vault: Opens it.
    ///   - random: Makes it, once.
    package init(store: any AuditStore, vault: Vault, random: RandomBytes = .system) {
        self.store = store
        self.vault = vault
        self.random = random
    }

    /// A person or Device as the log names it.
    ///
    /// - Parameters:
    ///   - kind: `user` or `device`.
    ///   - id: Its id.
    ///   - app: Whose it is.
    /// - Returns: The kind, a colon and 32 hexadecimal digits of HMAC-SHA256 over App and id.
    /// - Throws: ``StoreError`` when the key cannot be had.
    package func name(_ kind: String, _ id: String, app: AppID) async throws(StoreError) -> String {
        let key = SymmetricKey(data: try await loadedKey())
        let code = HMAC<SHA256>.authenticationCode(for: Data("\(app)/\(id)".utf8), using: key)
        return kind + ":" + AuditRecord.hexadecimal(code.prefix(16))
    }

    private func loadedKey() async throws(StoreError) -> [UInt8] {
        if let known = key.withLockedValue({ $0 }) { return known }
        // A node that may not seal still opens the key that there is.
        var sealed = try await store.pseudonymKey()
        if sealed == nil {
            let new = try vault.seal(random(Self.keyByteCount), purpose: Self.purpose)
            // Of nodes that make one at once, the first one's stays.
            sealed = try await store.pseudonymKey(orInsert: new)
        }
        guard let sealed, let opened = vault.open(sealed, purpose: Self.purpose) else {
            throw .failed("The key of the audit log's names cannot be opened with the master key.")
        }
        key.withLockedValue { $0 = opened }
        return opened
    }
}
