import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority and a server's certificate of its, in files, as programs want them.
struct ServerFiles {
    let folder: URL
    var authority: String { folder.appendingPathComponent("ca.pem").path }
    var certificate: String { folder.appendingPathComponent("server.pem").path }
    var key: String { folder.appendingPathComponent("server.key").path }

    /// Makes them for `localhost`; they are gone when the body returns.
    static func with<Value>(_ body: (ServerFiles) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ServerFiles(folder: folder)
        let authorityKey = P256.Signing.PrivateKey()
        let key = P256.Signing.PrivateKey()
        let issuer = try DistinguishedName { CommonName("Carillon test authority") }
        let authority = try certificate(
            key: authorityKey.publicKey,
            subject: issuer,
            issuer: issuer,
            signer: authorityKey,
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                KeyUsage(keyCertSign: true)
            }
        )
        let server = try certificate(
            key: key.publicKey,
            subject: DistinguishedName { CommonName("localhost") },
            issuer: issuer,
            signer: authorityKey,
            Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                SubjectAlternativeNames([.dnsName("localhost")])
            }
        )
        try authority.serializeAsPEM().pemString.write(toFile: files.authority, atomically: true, encoding: .utf8)
        try server.serializeAsPEM().pemString.write(toFile: files.certificate, atomically: true, encoding: .utf8)
        try key.pemRepresentation.write(toFile: files.key, atomically: true, encoding: .utf8)
        return try await body(files)
    }

    private static func certificate(
        key: P256.Signing.PublicKey,
        subject: DistinguishedName,
        issuer: DistinguishedName,
        signer: P256.Signing.PrivateKey,
        _ extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: .init(key),
            notValidBefore: Date().addingTimeInterval(-86_400),
            notValidAfter: Date().addingTimeInterval(86_400),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: .init(signer)
        )
    }
}
