import Crypto

extension StrictFields {
    /// Reads a P-256 key: its public half, or the .p8 file.
    mutating func publicKey() throws(FieldProblem) -> P256.Signing.PublicKey {
        switch (try text("publicKeyPEM", bytes: 1...4000), try text("p8", bytes: 1...4000)) {
        case (let pem?, nil):
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
                throw problem("publicKeyPEM", "wanted the PEM of a P-256 public key")
            }
            return key
        case (nil, let p8?):
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: p8) else {
                throw problem("p8", "wanted the PEM of a P-256 private key in PKCS#8")
            }
            return key.publicKey
        default:
            throw problem("wanted either publicKeyPEM or p8")
        }
    }
}
