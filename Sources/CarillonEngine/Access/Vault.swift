import Crypto
import Foundation
import NIOConcurrencyHelpers

/// Encrypts the secrets that the store keeps, with a master key that the store does not have.
///
/// AES-GCM with a random nonce. The purpose is authenticated with the secret: what was sealed for one place cannot be
/// moved to another. What is sealed begins with a version and the id of its key, so that several keys can be known while
/// the master key is replaced; what earlier versions sealed has neither, and is tried with each key.
///
/// Copies of a vault share its keys: what ``adopt(_:sealingWith:)`` changes holds for all of them.
package struct Vault: Sendable {
    /// How many bytes a master key has.
    package static let keyByteCount = 32
    /// How many keys are known at a time, at most.
    package static let keyLimit = 4

    private let ring: NIOLockedValueBox<MasterKeyRing>

    /// Takes the master key; `nil` unless it has 32 bytes.
    package init?(masterKey: [UInt8]) {
        self.init(masterKeys: [masterKey])
    }

    /// Takes the master keys; the first one seals.
    ///
    /// It is `nil` for anything else than that.
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

    /// Has another of the keys seal; false when it is not among them.
    @discardableResult
    package func seal(with id: MasterKeyID) -> Bool { ring.withLockedValue { $0.seal(with: id) } }

    /// Seals nothing more until it is told with which key; it opens what it can.
    package func stopSealing() { ring.withLockedValue { $0.stopSealing() } }

    /// Takes other keys in the place of those it has; the one that seals goes on if it is among them.
    ///
    /// Whoever was not to seal is to be told again that it may: ``MasterKeyCheck/accepts(_:)``.
    ///
    /// - Returns: False when these are no keys; it keeps those it has then.
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
    ///   - purpose: What it is for and whose; the same is needed to open it.
    /// - Returns: Version, key id, nonce, ciphertext and tag.
    /// - Throws: ``StoreError/staleMasterKey`` after ``stopSealing()``.
    package func seal(_ secret: [UInt8], purpose: String) throws(StoreError) -> [UInt8] {
        let sealing = ring.withLockedValue { $0.isStale ? nil : $0.sealing }
        guard let key = sealing else { throw .staleMasterKey }
        let header = SealedHeader(key: key.id).bytes
        // Encrypting fails only for a wrong key or nonce length, which both are fixed here.
        guard let box = try? AES.GCM.seal(secret, using: key.key, authenticating: header + Array(purpose.utf8)),
            let sealed = box.combined
        else { preconditionFailure("AES-GCM takes a 32-byte key and makes its own nonce.") }
        return header + Array(sealed)
    }

    /// Encrypts a secret, and says in the engine's words why it does not.
    func sealed(_ secret: [UInt8], purpose: String) throws(EngineError) -> [UInt8] {
        do throws(StoreError) {
            return try seal(secret, purpose: purpose)
        } catch {
            throw .store(error)
        }
    }

    /// Decrypts what was sealed for the same purpose; `nil` when it was not, or with another key, or is damaged.
    package func open(_ sealed: [UInt8], purpose: String) -> [UInt8]? { opened(sealed, purpose: purpose)?.secret }

    /// Decrypts, and tells with which key; also for what an earlier version sealed.
    func opened(_ sealed: [UInt8], purpose: String) -> (secret: [UInt8], key: MasterKeyID)? {
        let keys = ring.withLockedValue { $0.keys }
        let purpose = Array(purpose.utf8)
        if let header = SealedHeader(sealed), let key = keys.first(where: { $0.id == header.key }),
            let secret = key.open(sealed.dropFirst(SealedHeader.byteCount), authenticating: header.bytes + purpose)
        {
            return (secret, key.id)
        }
        // A nonce of an earlier version may begin as a header does.
        return keys.lazy.compactMap { key in
            key.open(sealed[...], authenticating: purpose).map { ($0, key.id) }
        }.first
    }

    /// Whether something is sealed by the key that seals now, and as this version seals.
    func isCurrent(_ sealed: [UInt8]) -> Bool { SealedHeader(sealed)?.key == sealingKey }
}
