import Crypto
import Foundation

/// Encrypts the secrets that the store keeps, with a master key that the store does not have.
///
/// AES-GCM with a random nonce. The purpose is authenticated with the secret: what was sealed for one place cannot be
/// moved to another.
package struct Vault: Sendable {
    /// How many bytes a master key has.
    package static let keyByteCount = 32

    private let key: SymmetricKey

    /// Takes the master key; `nil` unless it has 32 bytes.
    package init?(masterKey: [UInt8]) {
        guard masterKey.count == Self.keyByteCount else { return nil }
        key = SymmetricKey(data: masterKey)
    }

    /// Encrypts a secret.
    ///
    /// - Parameters:
    ///   - secret: Any bytes.
    ///   - purpose: What it is for and whose; the same is needed to open it.
    /// - Returns: Nonce, ciphertext and tag.
    package func seal(_ secret: [UInt8], purpose: String) -> [UInt8] {
        // Encrypting fails only for a wrong key or nonce length, which both are fixed here.
        guard let box = try? AES.GCM.seal(secret, using: key, authenticating: Array(purpose.utf8)),
            let sealed = box.combined
        else { preconditionFailure("AES-GCM takes a 32-byte key and makes its own nonce.") }
        return Array(sealed)
    }

    /// Decrypts what was sealed for the same purpose; `nil` when it was not, or with another key, or is damaged.
    package func open(_ sealed: [UInt8], purpose: String) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let secret = try? AES.GCM.open(box, using: key, authenticating: Array(purpose.utf8))
        else { return nil }
        return Array(secret)
    }
}
