import CarillonBytes
package import CarillonModel
import Crypto
import Foundation
import NIOConcurrencyHelpers

/// Pseudonyms of people and Devices in the audit log: stable, and reversible only with the master key.
///
/// A hash without a key could be reversed from a backup by trying ids, such as telephone numbers, even after the person
/// was erased. The server has one random key, sealed in the store and never shown.
package final class AuditPseudonyms: Sendable {
    /// The purpose under which the key is sealed.
    static let purpose = "audit pseudonyms"
    private static let keyByteCount = 32

    private let store: any AuditStore
    private let vault: Vault
    private let random: RandomBytes
    private let key = NIOLockedValueBox<[UInt8]?>(nil)

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores the sealed key.
    ///   - vault: Opens it.
    ///   - random: Generates it, once.
    package init(store: any AuditStore, vault: Vault, random: RandomBytes = .system) {
        self.store = store
        self.vault = vault
        self.random = random
    }

    /// Returns the pseudonym of a person or Device.
    ///
    /// - Parameters:
    ///   - kind: `user` or `device`.
    ///   - id: Its id.
    ///   - app: Its App.
    /// - Returns: The kind, a colon and 32 hexadecimal digits of HMAC-SHA256 over App and id.
    /// - Throws: ``StoreError`` when the key is not available.
    package func name(_ kind: String, _ id: String, app: AppID) async throws(StoreError) -> String {
        let key = SymmetricKey(data: try await loadedKey())
        let code = HMAC<SHA256>.authenticationCode(for: Data("\(app)/\(id)".utf8), using: key)
        return kind + ":" + Hexadecimal.encode(code.prefix(16))
    }

    private func loadedKey() async throws(StoreError) -> [UInt8] {
        if let known = key.withLockedValue({ $0 }) { return known }
        // A node that may not seal can still open the existing key.
        var sealed = try await store.pseudonymKey()
        if sealed == nil {
            let new = try vault.seal(random(Self.keyByteCount), purpose: Self.purpose)
            // Of nodes that generate one at once, the first one's is stored.
            sealed = try await store.pseudonymKey(orInsert: new)
        }
        guard let sealed, let opened = vault.open(sealed, purpose: Self.purpose) else {
            throw .failed("The key of the audit log's names cannot be opened with the master key.")
        }
        key.withLockedValue { $0 = opened }
        return opened
    }
}
