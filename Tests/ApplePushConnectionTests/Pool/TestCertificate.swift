import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate for a test, signed with its own key.
struct TestCertificate {
    let pem: String
    let nio: NIOSSLCertificate

    /// Makes one, valid from `begin` until `end`, in seconds from now.
    static func make(
        _ key: P256.Signing.PrivateKey,
        name: String,
        isAuthority: Bool = false,
        begin: TimeInterval = -86_400,
        end: TimeInterval = 86_400
    ) throws -> TestCertificate {
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: .init(key.publicKey),
            notValidBefore: Date().addingTimeInterval(begin),
            notValidAfter: Date().addingTimeInterval(end),
            issuer: subject,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(
                    isAuthority ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
                )
                SubjectAlternativeNames([.dnsName(name)])
            },
            issuerPrivateKey: .init(key)
        )
        let pem = try certificate.serializeAsPEM().pemString
        return TestCertificate(pem: pem, nio: try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))
    }
}
