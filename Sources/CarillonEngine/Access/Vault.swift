import Crypto
import Foundation
import NIOConcurrencyHelpers

/// Encrypts the secrets in the store, with a master key that the store does not have.
///
/// AES-GCM with a random nonce. The purpose is authenticated with the secret, so that a sealed value cannot be moved to
/// another place. A sealed value begins with a version and the id of its key, so that several keys can be known while
/// the master key is replaced; values of earlier versions have neither, and are tried with each key.
///
/// Copies of a vault share its keys: ``adopt(_:sealingWith:)`` changes all of them.
package struct Vault: Sendable {
    /// The size of a master key in bytes.
    package static let keyByteCount = 32
    /// Maximum number of known keys.
    package static let keyLimit = 4

    private let ring: NIOLockedValueBox<MasterKeyRing>

    /// Creates a vault with one master key; `nil` unless it has 32 bytes.
    package init?(masterKey: [UInt8]) {
        self.init(masterKeys: [masterKey])
    }

    /// Creates a vault with master keys, the first of which seals; `nil` for invalid keys.
    ///
    /// - Parameter masterKeys: 1 through 4 different keys of 32 bytes each.
    package init?(masterKeys: [[UInt8]]) {
        guard let ring = MasterKeyRing(masterKeys) else { return nil }
        self.ring = NIOLockedValueBox(ring)
    }

    /// The id of the key that seals.
    package var sealingKey: MasterKeyID { ring.withLockedValue { $0.sealing.id } }

    /// The ids of all keys, that of the first one first.
    package var keys: [MasterKeyID] { ring.withLockedValue { $0.keys.map(\.id) } }

    /// Selects another of the keys for sealing; false when it is unknown.
    @discardableResult
    package func seal(with id: MasterKeyID) -> Bool { ring.withLockedValue { $0.seal(with: id) } }

    /// Stops sealing until a key is selected; opening still works.
    package func stopSealing() { ring.withLockedValue { $0.stopSealing() } }

    /// Replaces the keys; the sealing key stays if it is among the new ones.
    ///
    /// A vault that stopped sealing stays stopped until ``MasterKeyCheck/accepts(_:)``.
    ///
    /// - Returns: False when the keys are invalid; the former ones stay then.
    @discardableResult
    package func adopt(_ masterKeys: [[UInt8]]) -> Bool {
        guard var new = MasterKeyRing(masterKeys) else { return false }
        ring.withLockedValue { ring in
            new.succeed(ring)
            ring = new
        }
        return true
    }

    /// Encrypts a secret.
    ///
    /// - Parameters:
    ///   - secret: Any bytes.
    ///   - purpose: What it is for and whose it is; opening it requires the same purpose.
    /// - Returns: Version, key id, nonce, ciphertext and tag.
    /// - Throws: ``StoreError/staleMasterKey`` after ``stopSealing()``.
    package func seal(_ secret: [UInt8], purpose: String) throws(StoreError) -> [UInt8] {
        let sealing = ring.withLockedValue { $0.isStale ? nil : $0.sealing }
        guard let key = sealing else { throw .staleMasterKey }
        let header = SealedHeader(key: key.id).bytes
        // Encryption fails only for a wrong key or nonce length, and both are fixed here.
        guard let box = try? AES.GCM.seal(secret, using: key.key, authenticating: header + Array(purpose.utf8)),
            let sealed = box.combined
        else { preconditionFailure("AES-GCM accepts a 32-byte key and generates its nonce.") }
        return header + Array(sealed)
    }

    /// Encrypts a secret and converts the error to ``EngineError``.
    func sealed(_ secret: [UInt8], purpose: String) throws(EngineError) -> [UInt8] {
        do throws(StoreError) {
            return try seal(secret, purpose: purpose)
        } catch {
            throw .store(error)
        }
    }

    /// Decrypts a value of the same purpose; `nil` for another purpose or key, and for damaged values.
    package func open(_ sealed: [UInt8], purpose: String) -> [UInt8]? { opened(sealed, purpose: purpose)?.secret }

    /// Decrypts and returns the key's id; also for values of earlier versions.
    func opened(_ sealed: [UInt8], purpose: String) -> (secret: [UInt8], key: MasterKeyID)? {
        let keys = ring.withLockedValue { $0.keys }
        let purpose = Array(purpose.utf8)
        if let header = SealedHeader(sealed), let key = keys.first(where: { $0.id == header.key }),
            let secret = key.open(sealed.dropFirst(SealedHeader.byteCount), authenticating: header.bytes + purpose)
        {
            return (secret, key.id)
        }
        // A nonce of an earlier version may look like a header.
        return keys.lazy.compactMap { key in
            key.open(sealed[...], authenticating: purpose).map { ($0, key.id) }
        }.first
    }

    /// Whether a value is sealed by the current key in the current format.
    func isCurrent(_ sealed: [UInt8]) -> Bool { SealedHeader(sealed)?.key == sealingKey }
}
