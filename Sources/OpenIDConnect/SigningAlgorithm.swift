import Crypto
import Foundation

/// The signatures that are accepted: asymmetric ones alone.
///
/// `none` and those with a shared secret are not among them, so that a public key cannot be taken for such a secret.
enum SigningAlgorithm: String, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// The type of keys that make them.
    var keyType: String {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .edDSA: "OKP"
        }
    }

    /// The curve of such a key; `nil` for keys without one.
    var curve: String? {
        switch self {
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        case .edDSA: "Ed25519"
        default: nil
        }
    }

    /// The left half of a text's hash, as `at_hash` has it.
    func halfHash(of text: String) -> [UInt8] {
        let data = Data(text.utf8)
        let hash: [UInt8] =
            switch self {
            case .rs256, .ps256, .es256: Array(SHA256.hash(data: data))
            case .rs384, .ps384, .es384: Array(SHA384.hash(data: data))
            case .rs512, .ps512, .es512, .edDSA: Array(SHA512.hash(data: data))
            }
        return Array(hash.prefix(hash.count / 2))
    }
}
