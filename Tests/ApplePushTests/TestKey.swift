import Crypto

/// A key made for this run of the tests.
enum TestKey {
    static let privateKey = P256.Signing.PrivateKey()
    static let pem = privateKey.pemRepresentation
}
