import Crypto
import Foundation

/// A provider token with a valid signature.
struct ProviderToken: Sendable {
    /// Identifies the token; equal bytes always have the same number.
    var serial: Int
    var key: SigningKey
    /// The `iat` claim, seconds since 1970.
    var issuedAt: Int64
}

/// The parts of a provider token before its key is looked up.
struct UnverifiedProviderToken {
    var keyID: String
    var teamID: String
    var issuedAt: Int64
    private let signed: ArraySlice<UInt8>
    private let signature: P256.Signing.ECDSASignature

    /// Parses a JSON web token.
    ///
    /// Base64 may use either alphabet, padded or not, and the signature may be raw or DER: all of these are in use.
    /// - Throws: `InvalidProviderToken` when a part is missing or malformed.
    init(_ jwt: ArraySlice<UInt8>) throws(Rejection) {
        let parts = jwt.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header: Header = Self.json(parts[0]), header.alg == "ES256",
            let claims: Claims = Self.json(parts[1]), let issuedAt = claims.issuedAt,
            let signature = Self.signature(parts[2])
        else { throw Rejection(.invalidProviderToken) }
        keyID = header.kid
        teamID = claims.iss
        self.issuedAt = issuedAt
        signed = jwt[parts[0].startIndex..<parts[1].endIndex]
        self.signature = signature
    }

    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        key.isValidSignature(signature, for: signed)
    }

    // MARK: - Private

    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        private var iat: NumericDate

        var issuedAt: Int64? { Int64(exactly: iat.seconds.rounded(.down)) }
    }

    /// Seconds since 1970: a number, or its digits as text, which APNs accepts and APNSwift sends.
    private struct NumericDate: Decodable {
        let seconds: Double

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {
                seconds = number
            } else {
                let text = try container.decode(String.self)
                guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    let number = Double(text)
                else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "no digits") }
                seconds = number
            }
        }
    }

    private static func json<Part: Decodable>(_ base64: ArraySlice<UInt8>) -> Part? {
        guard let bytes = decode(base64) else { return nil }
        return try? JSONDecoder().decode(Part.self, from: bytes)
    }

    private static func signature(_ base64: ArraySlice<UInt8>) -> P256.Signing.ECDSASignature? {
        guard let bytes = decode(base64) else { return nil }
        if bytes.count == 64, let raw = try? P256.Signing.ECDSASignature(rawRepresentation: bytes) {
            return raw
        }
        return try? P256.Signing.ECDSASignature(derRepresentation: bytes)
    }

    private static func decode(_ base64: ArraySlice<UInt8>) -> Data? {
        var standard = base64.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while standard.last == UInt8(ascii: "=") {
            standard.removeLast()
        }
        guard !standard.isEmpty else { return nil }
        standard += Array(repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: Data(standard))
    }
}
