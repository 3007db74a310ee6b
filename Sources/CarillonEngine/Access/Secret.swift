import CarillonBytes
import Crypto
import Foundation

/// Generates and reads secrets in text form.
package enum Secret {
    /// Returns thirty-two random bytes in base64url, with a prefix that names their purpose, such as `ck_…`.
    ///
    /// - Parameters:
    ///   - prefix: The letters before the underscore.
    ///   - random: The random source.
    /// - Returns: The prefix, an underscore and 43 characters.
    package static func text(prefix: String, random: RandomBytes = .system) -> String {
        prefix + "_" + Base64URL.encode(random(32))
    }
}

/// A source of random bytes.
package struct RandomBytes: Sendable {
    private let make: @Sendable (Int) -> [UInt8]

    package init(_ make: @escaping @Sendable (Int) -> [UInt8]) { self.make = make }

    package func callAsFunction(_ count: Int) -> [UInt8] { make(count) }

    /// The system's generator, which is suitable for keys.
    package static let system = RandomBytes { count in
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            // The maximum of one call is 256 bytes.
            for start in stride(from: 0, to: count, by: 256) {
                let result = getentropy(base + start, min(256, count - start))
                precondition(result == 0, "The system has no random bytes.")
            }
        }
        return bytes
    }
}

/// SHA-256 of a random secret, which the store has in its place.
///
/// The secret has enough entropy, so that no slow hash is needed.
package struct SecretHash: Hashable, Sendable {
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes a secret.
    package init(of secret: String) {
        var secret = secret
        let digest = secret.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
        words = digest.withUnsafeBytes { $0.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self) }
    }

    /// Reads a stored hash; `nil` unless it has 32 bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        words = bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: words) { body($0) }
    }

    /// Compares in constant time.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        (lhs.words.0 ^ rhs.words.0) | (lhs.words.1 ^ rhs.words.1) | (lhs.words.2 ^ rhs.words.2)
            | (lhs.words.3 ^ rhs.words.3) == 0
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
