package import CarillonModel
import Crypto
import Foundation

/// Signs messages according to "Standard Webhooks".
///
/// The signed text is the message's id, the time in whole seconds since 1970 and the body, joined by full stops. Each
/// signature is `v1,` and HMAC-SHA256 in base64; several are joined by spaces, so that a secret can be replaced without
/// losing a message.
package enum WebhookSignature {
    private static let prefix = "whsec_"
    private static let byteCount = 32

    /// Generates a secret: `whsec_` and 32 random bytes in base64.
    package static func secret(_ random: RandomBytes) -> String {
        prefix + Data(random(byteCount)).base64EncodedString()
    }

    /// The value of `webhook-signature`.
    ///
    /// - Parameters:
    ///   - id: The message's id.
    ///   - timestamp: The time of the attempt.
    ///   - body: The body.
    ///   - secrets: The secrets, each for one signature; an invalid one gives none.
    /// - Returns: The signatures, joined by spaces.
    package static func value(id: String, timestamp: Timestamp, body: [UInt8], secrets: [String]) -> String {
        let head = Array("\(id).\(timestamp.rawValue / 1_000).".utf8)
        return secrets.compactMap { key($0) }.map { key in
            var code = HMAC<SHA256>(key: SymmetricKey(data: key))
            code.update(data: head)
            code.update(data: body)
            return "v1," + Data(code.finalize()).base64EncodedString()
        }.joined(separator: " ")
    }

    private static func key(_ secret: String) -> Data? {
        guard secret.hasPrefix(prefix) else { return nil }
        return Data(base64Encoded: String(secret.dropFirst(prefix.count)))
    }
}
