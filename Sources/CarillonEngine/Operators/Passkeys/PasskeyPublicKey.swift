package import Crypto
import Foundation

/// The public key of a passkey, in COSE's form (RFC 9053): ES256, or EdDSA with Ed25519.
package enum PasskeyPublicKey: Sendable {
    case es256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// COSE's numbers of the algorithms, in the order in which a browser is asked for them.
    package static let algorithms = [-7, -8]

    /// Reads a key; `nil` when it is malformed, or of another algorithm.
    package init?(cose bytes: [UInt8]) {
        guard let map = CBORReader.read(bytes), let x = map[.integer(-2)]?.bytes, x.count == 32 else { return nil }
        func number(_ key: Int64) -> Int64? { map[.integer(key)]?.integer }
        switch (number(1), number(3), number(-1)) {
        // Elliptic curve with two coordinates, ES256, P-256.
        case (2, -7, 1):
            guard let y = map[.integer(-3)]?.bytes, y.count == 32,
                let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { return nil }
            self = .es256(key)
        // Octet key pair, EdDSA, Ed25519.
        case (1, -8, 6):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else { return nil }
            self = .ed25519(key)
        default: return nil
        }
    }

    /// Whether a signature is of this key.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        switch self {
        case .es256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: Data(message))
        case .ed25519(let key): return key.isValidSignature(Data(signature), for: Data(message))
        }
    }
}
