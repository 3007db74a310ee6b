import Crypto
import Foundation

/// Codes of an authenticator: TOTP of RFC 6238 with SHA-1, six digits and steps of 30 seconds.
package struct OneTimeCode: Hashable, Sendable {
    /// The size of a secret in bytes, as RFC 4226 recommends.
    package static let secretByteCount = 20
    /// The length of a step, in milliseconds.
    package static let step: Int64 = 30_000

    private let secret: [UInt8]

    /// Wraps a secret.
    package init(secret: [UInt8]) { self.secret = secret }

    /// The step of a time, in milliseconds since 1970.
    package static func step(at milliseconds: Int64) -> Int64 { milliseconds / step }

    /// The code of a step.
    package func code(_ step: Int64) -> String {
        let key = SymmetricKey(data: Data(secret))
        let counter = withUnsafeBytes(of: step.bigEndian) { Data($0) }
        let hash = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: key))
        let offset = Int(hash[hash.count - 1] & 0xF)
        let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The step whose code a text is: the current one or the one before; `nil` for any other text.
    ///
    /// Both are compared, and each in constant time.
    package func step(of text: String, at milliseconds: Int64) -> Int64? {
        let current = Self.step(at: milliseconds)
        let given = Array(text.utf8)
        return [current - 1, current].reduce(nil as Int64?) { found, step in
            let code = Array(self.code(step).utf8)
            let difference = zip(code, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
            return given.count == code.count && difference == 0 ? step : found
        }
    }

    /// The secret in base 32, as authenticators take it.
    package var text: String { RFC4648Base32.text(secret) }

    /// The `otpauth:` URL that a QR code has.
    ///
    /// - Parameter account: The account's name, as the authenticator lists it.
    /// - Returns: The URL.
    package func url(account: String) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let label = account.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return "otpauth://totp/Carillon:\(label)?secret=\(text)&issuer=Carillon&algorithm=SHA1&digits=6&period=30"
    }
}

/// A code that replaces the authenticator once: 80 random bits in base 32, in groups of four.
package enum RecoveryCode {
    /// How many an Operator gets.
    package static let count = 10
    private static let byteCount = 10

    /// Generates a code, such as `mfrg-gzdf-mztw-q2lk`.
    static func make(_ random: RandomBytes) -> String {
        let text = Array(RFC4648Base32.text(random(byteCount)).lowercased())
        return stride(from: 0, to: text.count, by: 4).map { String(text[$0..<min($0 + 4, text.count)]) }
            .joined(separator: "-")
    }

    /// The hash under which a code is stored, however it was typed.
    static func hash(of text: String) -> SecretHash {
        SecretHash(of: String(text.lowercased().filter { $0.isLetter || $0.isNumber }.prefix(64)))
    }
}

/// Base 32 of RFC 4648, without padding.
enum RFC4648Base32 {
    static func text(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (text, buffer, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(letters[Int(buffer >> UInt32(bits) & 31)])
            }
            // What was written must not stay: the buffer would overflow.
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { text.append(letters[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
