public import Crypto

/// A team's key for APNs: what Apple hands out as a `.p8` file, with its two ids.
public struct SigningKey: Sendable {
    /// Why a key cannot be used.
    public enum Problem: Error, Hashable, Sendable {
        /// The key id is not 1 through 32 ASCII letters and digits. Apple's have 10.
        case badKeyID
        /// The team id is not 1 through 32 ASCII letters and digits. Apple's have 10.
        case badTeamID
        /// The text has no `-----BEGIN PRIVATE KEY-----` block.
        case notPEM
        /// The block is a certificate, a public key, or an encrypted key.
        case notAPrivateKey
        /// The block is a private key, but not a whole one of the curve P-256.
        case notP256
    }

    /// The key's id, `kid` in a provider token.
    public let keyID: String
    /// The team's id, `iss` in a provider token.
    public let teamID: String
    private let key: P256.Signing.PrivateKey

    /// Reads a key file.
    ///
    /// - Parameters:
    ///   - pem: The text of the `.p8` file.
    ///   - keyID: The key's id.
    ///   - teamID: The team's id.
    /// - Throws: ``Problem``. It never holds a part of the key.
    public init(pem: String, keyID: String, teamID: String) throws(Problem) {
        guard Self.isID(keyID) else { throw .badKeyID }
        guard Self.isID(teamID) else { throw .badTeamID }
        let lines = pem.split(whereSeparator: \.isNewline)
        guard let begin = lines.first(where: { $0.hasPrefix("-----BEGIN ") }),
            lines.contains(where: { $0.hasPrefix("-----END ") })
        else { throw .notPEM }
        let label = begin.dropFirst("-----BEGIN ".count).prefix { $0 != "-" }
        guard label == "PRIVATE KEY" || label == "EC PRIVATE KEY" else { throw .notAPrivateKey }
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw .notP256
        }
        self.keyID = keyID
        self.teamID = teamID
    }

    /// The key that verifies what this one signs.
    public var publicKey: P256.Signing.PublicKey { key.publicKey }

    private static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: false
                }
            }
    }

    /// Signs `message` with ES256 and gives R and S, 32 bytes each (RFC 7518 §3.4).
    func signature(of message: some Sequence<UInt8>) throws -> [UInt8] {
        Array(try key.signature(for: Array(message)).rawRepresentation)
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The two ids; never the key.
    public var description: String { "SigningKey(\(keyID), team \(teamID))" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
