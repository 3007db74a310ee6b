import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A certificate authority that lives as long as the simulator, and the server certificate it signed.
///
/// Clients are given the authority's certificate and then verify the server for real, name included.
struct CertificateAuthority: Sendable {
    /// The authority's certificate, to be trusted by clients.
    let pem: String
    private let authority: NIOSSLCertificate
    private let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey

    /// Makes both certificates.
    ///
    /// - Parameters:
    ///   - addresses: IPv4 or IPv6 addresses the server is reached at, beside the name `localhost`.
    ///   - now: The time around which they are valid.
    /// - Throws: What kept a certificate from being made or read back; nothing of ours causes that.
    init(addresses: [String], now: Date) throws {
        let issuerKey = P256.Signing.PrivateKey()
        let issuerName = try DistinguishedName { CommonName("Carillon APNs simulator CA") }
        let issuer = try Self.certificate(
            subject: issuerName,
            key: issuerKey,
            issuer: issuerName,
            issuerKey: issuerKey,
            now: now,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }
        )
        let serverKey = P256.Signing.PrivateKey()
        let server = try Self.certificate(
            subject: DistinguishedName { CommonName("localhost") },
            key: serverKey,
            issuer: issuerName,
            issuerKey: issuerKey,
            now: now,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName("localhost")] + addresses.compactMap(Self.name))
            }
        )
        pem = try issuer.serializeAsPEM().pemString + "\n"
        authority = try NIOSSLCertificate(bytes: Self.der(issuer), format: .der)
        certificate = try NIOSSLCertificate(bytes: Self.der(server), format: .der)
        key = try NIOSSLPrivateKey(bytes: Array(serverKey.derRepresentation), format: .der)
    }

    /// What Apple's hosts offer: TLS 1.2 and 1.3, HTTP/2 alone, and a client may show a certificate or not.
    func serverConfiguration() -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)],
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2"]
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates([authority])
        return configuration
    }

    // MARK: - Private

    private static func certificate(
        subject: DistinguishedName,
        key: P256.Signing.PrivateKey,
        issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey,
        now: Date,
        extensions: Certificate.Extensions
    ) throws -> Certificate {
        // A day before and a month after, so that clocks may differ and tests may move theirs.
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: .init(key.publicKey),
            notValidBefore: now.addingTimeInterval(-86_400),
            notValidAfter: now.addingTimeInterval(30 * 86_400),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: .init(issuerKey)
        )
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    private static func name(_ address: String) -> GeneralName? {
        var four = in_addr()
        if inet_pton(AF_INET, address, &four) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: four) { Array($0)[...] }))
        }
        var six = in6_addr()
        if inet_pton(AF_INET6, address, &six) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: six) { Array($0)[...] }))
        }
        return nil
    }
}
