import CarillonBytes
import Crypto
import Foundation

/// Identifies the master key of a sealed value: the first four bytes of a hash of the key, which do not reveal it.
package struct MasterKeyID: Hashable, Sendable, CustomStringConvertible {
    static let byteCount = 4

    let bytes: [UInt8]

    init(_ key: [UInt8]) {
        bytes = Array(SHA256.hash(data: Array("carillon master key id".utf8) + key).prefix(Self.byteCount))
    }

    init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Eight hexadecimal digits.
    package var description: String { Hexadecimal.encode(bytes) }
}

/// A master key and its id.
struct MasterKey: Sendable {
    let id: MasterKeyID
    let key: SymmetricKey

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Vault.keyByteCount else { return nil }
        id = MasterKeyID(bytes)
        key = SymmetricKey(data: bytes)
    }

    func open(_ combined: ArraySlice<UInt8>, authenticating data: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: combined),
            let secret = try? AES.GCM.open(box, using: key, authenticating: data)
        else { return nil }
        return Array(secret)
    }
}

/// The known master keys, one of which seals.
struct MasterKeyRing: Sendable {
    let keys: [MasterKey]
    private var sealingIndex = 0
    /// Whether the store has a key that is not known here: other nodes could not open what these keys would seal.
    private(set) var isStale = false

    /// Creates a ring of 1 through 4 different keys; the first one seals.
    init?(_ keys: [[UInt8]]) {
        let made = keys.compactMap(MasterKey.init)
        guard made.count == keys.count, (1...Vault.keyLimit).contains(made.count),
            Set(made.map(\.id)).count == made.count
        else { return nil }
        self.keys = made
    }

    var sealing: MasterKey { keys[sealingIndex] }

    @discardableResult
    mutating func seal(with id: MasterKeyID) -> Bool {
        guard let index = keys.firstIndex(where: { $0.id == id }) else { return false }
        sealingIndex = index
        isStale = false
        return true
    }

    mutating func stopSealing() { isStale = true }

    /// Takes over the state of former keys: the sealing key stays if it is known, and a stopped ring stays stopped.
    mutating func succeed(_ former: MasterKeyRing) {
        seal(with: former.sealing.id)
        isStale = former.isStale
    }
}

/// The prefix of every sealed value: a version and the key's id.
struct SealedHeader: Hashable, Sendable {
    static let byteCount = version.count + MasterKeyID.byteCount
    /// Two bytes, so that few nonces of earlier versions begin with it.
    private static let version: [UInt8] = [0xCA, 0x01]

    let key: MasterKeyID

    init(key: MasterKeyID) { self.key = key }

    /// Reads the header; `nil` where there is none.
    init?(_ sealed: [UInt8]) {
        guard sealed.count > Self.byteCount, sealed.starts(with: Self.version) else { return nil }
        key = MasterKeyID(bytes: sealed[Self.version.count..<Self.byteCount])
    }

    var bytes: [UInt8] { Self.version + key.bytes }
}
