import CarillonBytes
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Our JWT for APNs: what proves that a request comes from the team that owns the topic.
///
/// It is a secret for the hour it lives, and never shown by `description`.
public struct ProviderToken: Hashable, Sendable {
    /// The id of the key that signed it.
    public let keyID: String
    /// Its `iat`, a whole second.
    public let issuedAt: Date
    /// The token as it stands after `bearer ` in the header `authorization`.
    public let rawValue: String

    /// Restores a token that was minted before, for instance by another node or before a restart.
    ///
    /// - Parameters:
    ///   - rawValue: The JWT.
    ///   - keyID: The id of the key that signed it.
    ///   - issuedAt: Its `iat`.
    public init(rawValue: String, keyID: String, issuedAt: Date) {
        self.rawValue = rawValue
        self.keyID = keyID
        self.issuedAt = issuedAt
    }

    /// Mints a token: ES256, `kid` in the header, the claims `iss` and `iat` (a number) and no other.
    ///
    /// Source: "Establishing a token-based connection to APNs"; signature as R‖S by RFC 7515 and RFC 7518.
    ///
    /// - Parameters:
    ///   - key: Signs it.
    ///   - now: The time of issue, rounded down to a whole second; 1970 through 9999.
    /// - Throws: What the crypto library throws when it cannot sign, which a sound key never causes.
    public init(signedWith key: SigningKey, at now: Date) throws {
        let seconds = now.secondsSince1970
        // The ids are letters and digits, so nothing here needs escaping.
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(key.keyID)"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"\#(key.teamID)","iat":\#(seconds)}"#.utf8)
        let signed = header + "." + claims
        rawValue = signed + "." + Base64URL.encode(try key.signature(of: signed.utf8))
        keyID = key.keyID
        issuedAt = Date(timeIntervalSince1970: Double(seconds))
    }

    /// Whether a key has signed this token.
    ///
    /// Two keys may go by the same ids when one of them was typed wrong; APNs answers `InvalidProviderToken` to a token
    /// of the wrong one.
    public func isSigned(by key: SigningKey) -> Bool {
        let parts = rawValue.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes)
        else { return false }
        return key.publicKey.isValidSignature(signature, for: Array(rawValue.utf8.dropLast(parts[2].count + 1)))
    }
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key's id and the time of issue; never the token.
    public var description: String { "ProviderToken(key \(keyID), issued \(issuedAt))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
