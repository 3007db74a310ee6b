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

/// A certificate authority that lives as long as the simulator, with a server certificate.
///
/// Clients that trust the authority verify the server normally, including its name.
struct CertificateAuthority: Sendable {
    /// The names of Apple's hosts, for clients that are redirected by the hosts file.
    private static let appleHosts = [
        "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
        "api-broadcast.push.apple.com", "api-broadcast.sandbox.push.apple.com",
        "api-manage-broadcast.push.apple.com", "api-manage-broadcast.sandbox.push.apple.com",
    ]

    /// The authority's certificate in PEM.
    let pem: String
    private let name: DistinguishedName
    private let issuerKey: P256.Signing.PrivateKey
    private let authority: NIOSSLCertificate
    private let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey

    /// Creates both certificates.
    ///
    /// - Parameters:
    ///   - addresses: The server's IPv4 or IPv6 addresses, beside `localhost` and the names of Apple's hosts.
    ///   - now: The time around which they are valid.
    /// - Throws: When a certificate cannot be created or read back; the arguments do not cause that.
    init(addresses: [String], now: Date) throws {
        let issuerKey = P256.Signing.PrivateKey()
        self.issuerKey = issuerKey
        name = try DistinguishedName { CommonName("Carillon APNs simulator CA") }
        let issuer = try Self.certificate(
            subject: name,
            key: issuerKey,
            issuer: name,
            issuerKey: issuerKey,
            now: now,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: .init(issuerKey.publicKey))
            }
        )
        let serverKey = P256.Signing.PrivateKey()
        let names = (["localhost"] + Self.appleHosts).map { GeneralName.dnsName($0) }
        let server = try Self.certificate(
            subject: DistinguishedName { CommonName("localhost") },
            key: serverKey,
            issuer: name,
            issuerKey: issuerKey,
            now: now,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names + addresses.compactMap(Self.name))
                Self.issuer(issuerKey)
            }
        )
        pem = try issuer.serializeAsPEM().pemString + "\n"
        authority = try NIOSSLCertificate(bytes: Self.der(issuer), format: .der)
        certificate = try NIOSSLCertificate(bytes: Self.der(server), format: .der)
        key = try NIOSSLPrivateKey(bytes: Array(serverKey.derRepresentation), format: .der)
    }

    /// The TLS settings of Apple's hosts: TLS 1.2 and 1.3, only HTTP/2, and an optional client certificate.
    ///
    /// - Parameter clientAuthorities: Authorities of accepted client certificates in PEM, beside our own.
    /// - Returns: The configuration of all listeners.
    /// - Throws: When one of the certificates is invalid.
    func serverConfiguration(clientAuthorities: [String]) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)],
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2"]
        configuration.certificateVerification = .optionalVerification
        let others = try clientAuthorities.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) }
        configuration.trustRoots = .certificates([authority] + others)
        return configuration
    }

    // MARK: - Clients

    /// Creates a push certificate for a client.
    ///
    /// - Throws: When it cannot be created, for example with a topic that no certificate can hold.
    func issue(_ order: ClientCertificateOrder, passphrase: String, now: Date) throws -> ClientCertificate {
        let clientKey = P256.Signing.PrivateKey()
        let client = try Self.certificate(
            subject: Self.subject(of: order),
            key: clientKey,
            issuer: name,
            issuerKey: issuerKey,
            now: now,
            validity: order.validity,
            extensions: Self.extensions(of: order, issuerKey: issuerKey)
        )
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: [try NIOSSLCertificate(bytes: Self.der(client), format: .der)],
            privateKey: try NIOSSLPrivateKey(bytes: Array(clientKey.derRepresentation), format: .der)
        )
        return ClientCertificate(
            certificatePEM: try client.serializeAsPEM().pemString + "\n",
            privateKeyPEM: clientKey.pemRepresentation + "\n",
            pkcs12: try bundle.serialize(passphrase: passphrase.utf8)
        )
    }

    /// As in Apple's certificates: the topic is the `UID`, and part of the common name.
    private static func subject(of order: ClientCertificateOrder) -> DistinguishedName {
        DistinguishedName([
            RelativeDistinguishedName(.init(type: .userID, utf8String: order.topic)),
            RelativeDistinguishedName(.init(type: .commonName, utf8String: "Apple Push Services: \(order.topic)")),
        ])
    }

    private static func extensions(
        of order: ClientCertificateOrder,
        issuerKey: P256.Signing.PrivateKey
    ) throws -> Certificate.Extensions {
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.clientAuth])
            issuer(issuerKey)
        }
        let null: ArraySlice<UInt8> = [5, 0]
        if order.environments.contains(.sandbox) {
            try extensions.append(.init(oid: .sandboxPush, critical: false, value: null))
        }
        if order.environments.contains(.production) {
            try extensions.append(.init(oid: .productionPush, critical: false, value: null))
        }
        if !order.furtherTopics.isEmpty {
            let topics = try topicList([order.topic] + order.furtherTopics, base: order.topic)
            try extensions.append(.init(oid: .pushTopics, critical: false, value: topics))
        }
        return extensions
    }

    /// `SEQUENCE { UTF8String topic, SEQUENCE { UTF8String kind }, … }`, where kind is `app` or the topic's suffix.
    private static func topicList(_ topics: [String], base: String) throws -> ArraySlice<UInt8> {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { list in
            for topic in topics {
                let kind = topic.hasPrefix(base + ".") ? String(topic.dropFirst(base.count + 1)) : "app"
                try list.serialize(ASN1UTF8String(topic))
                try list.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1UTF8String(kind)) }
            }
        }
        return serializer.serializedBytes[...]
    }

    // MARK: - Private

    /// Identifies the signing key, as authorities of several simulators have the same name.
    private static func issuer(_ key: P256.Signing.PrivateKey) -> AuthorityKeyIdentifier {
        let identifier = SubjectKeyIdentifier(hash: .init(key.publicKey)).keyIdentifier
        return AuthorityKeyIdentifier(keyIdentifier: identifier)
    }

    private static func certificate(
        subject: DistinguishedName,
        key: P256.Signing.PrivateKey,
        issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey,
        now: Date,
        validity: Duration = .seconds(30 * 86_400),
        extensions: Certificate.Extensions
    ) throws -> Certificate {
        // A day before and a month after, for clock skew and for tests that move their clock.
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: .init(key.publicKey),
            notValidBefore: now.addingTimeInterval(-86_400),
            notValidAfter: now.addingTimeInterval(validity / .seconds(1)),
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
        for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: length)
            if inet_pton(family, address, &bytes) == 1 {
                return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
            }
        }
        return nil
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]
}
