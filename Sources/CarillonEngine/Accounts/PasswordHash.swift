import Crypto
import CryptoExtras
import Foundation

/// What is hashed for the store: a password, in the form that the server compares.
package protocol ScryptInput: Sendable {
    var scryptInput: [UInt8] { get }
}

/// A password's hash as it is stored: scrypt with a salt of its own, and the parameters that it was made with.
package struct PasswordHash: Hashable, Sendable {
    /// What a hash costs.
    package struct Parameters: Hashable, Sendable {
        /// The binary logarithm of the number of rounds, 10 through 20.
        package var logRounds: UInt8
        /// The block size, 1 through 16: memory is 128 · block size · rounds bytes.
        package var blockSize: UInt8
        /// The parallelism, 1 through 16.
        package var parallelism: UInt8

        package init(logRounds: UInt8, blockSize: UInt8, parallelism: UInt8) {
            self.logRounds = logRounds
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// 16 MiB of memory and about 50 ms on a server's core.
        package static let standard = Parameters(logRounds: 14, blockSize: 8, parallelism: 1)

        fileprivate var isAllowed: Bool {
            (10...20).contains(logRounds) && (1...16).contains(blockSize) && (1...16).contains(parallelism)
        }
    }

    static let saltByteCount = 16
    private static let digestByteCount = 32
    private static let version: UInt8 = 1

    package let parameters: Parameters
    private let salt: [UInt8]
    private let digest: [UInt8]

    /// Hashes a password; takes as long as the parameters say.
    ///
    /// - Throws: When there is not enough memory.
    package init(_ password: some ScryptInput, salt: [UInt8], parameters: Parameters) throws {
        precondition(parameters.isAllowed && salt.count == Self.saltByteCount, "The parameters must be in range.")
        self.parameters = parameters
        self.salt = salt
        digest = try Self.digest(password, salt, parameters)
    }

    /// Whether a password is this one; takes as long as the hash cost.
    ///
    /// - Throws: When there is not enough memory.
    package func matches(_ password: some ScryptInput) throws -> Bool {
        let other = try Self.digest(password, salt, parameters)
        return zip(digest, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func digest(
        _ password: some ScryptInput,
        _ salt: [UInt8],
        _ parameters: Parameters
    ) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: password.scryptInput,
            salt: salt,
            outputByteCount: digestByteCount,
            rounds: 1 << Int(parameters.logRounds),
            blockSize: Int(parameters.blockSize),
            parallelism: Int(parameters.parallelism)
        )
        return key.withUnsafeBytes { Array($0) }
    }

    // MARK: In the store

    /// The version, the parameters, the salt and the digest: 52 bytes.
    package var bytes: [UInt8] {
        [Self.version, parameters.logRounds, parameters.blockSize, parameters.parallelism] + salt + digest
    }

    /// Reads a stored hash; `nil` when it is malformed.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 + Self.saltByteCount + Self.digestByteCount, bytes[0] == Self.version else { return nil }
        parameters = Parameters(logRounds: bytes[1], blockSize: bytes[2], parallelism: bytes[3])
        guard parameters.isAllowed else { return nil }
        salt = Array(bytes[4..<(4 + Self.saltByteCount)])
        digest = Array(bytes[(4 + Self.saltByteCount)...])
    }
}
