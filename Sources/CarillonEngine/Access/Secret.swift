import Crypto
import Foundation

/// Makes and reads secrets that travel as text.
package enum Secret {
    /// Thirty-two random bytes in base64url behind a prefix that tells what they are for, as `ck_…`.
    ///
    /// - Parameters:
    ///   - prefix: Letters before the underscore.
    ///   - random: Where the bytes come from.
    /// - Returns: The prefix, an underscore and 43 characters.
    package static func text(prefix: String, random: RandomBytes = .system) -> String {
        prefix + "_" + Base64URL.text(random(32))
    }
}

/// Where random bytes come from.
package struct RandomBytes: Sendable {
    private let make: @Sendable (Int) -> [UInt8]

    package init(_ make: @escaping @Sendable (Int) -> [UInt8]) { self.make = make }

    package func callAsFunction(_ count: Int) -> [UInt8] { make(count) }

    /// The system's generator, which is fit for keys.
    package static let system = RandomBytes { count in
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            // As many as one call gives.
            for start in stride(from: 0, to: count, by: 256) {
                let result = getentropy(base + start, min(256, count - start))
                precondition(result == 0, "The system has no random bytes.")
            }
        }
        return bytes
    }
}

/// SHA-256 of a secret that has enough randomness of its own, so that a slow hash is not needed: what the store keeps
/// in its place.
package struct SecretHash: Hashable, Sendable {
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes a secret.
    package init(of secret: String) {
        var secret = secret
        let digest = secret.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
        words = digest.withUnsafeBytes { $0.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self) }
    }

    /// Reads a hash that was kept; `nil` unless it has 32 bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        words = bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: words) { body($0) }
    }

    /// Compares in a time that does not tell where they differ.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        (lhs.words.0 ^ rhs.words.0) | (lhs.words.1 ^ rhs.words.1) | (lhs.words.2 ^ rhs.words.2)
            | (lhs.words.3 ^ rhs.words.3) == 0
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
