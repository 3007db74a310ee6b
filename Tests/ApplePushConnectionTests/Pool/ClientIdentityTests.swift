import ApplePushConnection
import Crypto
import Foundation
import NIOSSL
import Testing

struct ClientIdentityTests {
    private let key = P256.Signing.PrivateKey()
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("carillon-identity-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let url = folder.appendingPathComponent(name)
        try Data(bytes).write(to: url)
        return url.path
    }

    private func p12(_ certificate: TestCertificate, passphrase: String = "secret") throws -> [UInt8] {
        try NIOSSLPKCS12Bundle(
            certificateChain: [certificate.nio],
            privateKey: try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        ).serialize(passphrase: passphrase.utf8)
    }

    private func problem(_ body: () throws -> ClientIdentity) -> ClientIdentity.Problem? {
        #expect(throws: ClientIdentity.Problem.self) { _ = try body() }
    }

    @Test("A certificate is read from PKCS #12, from PEM, and from PEM with a separate key")
    func reads() throws {
        let certificate = try TestCertificate.make(key, name: "com.example.app")
        let bundle = try file("push.p12", p12(certificate))
        let chain = try file("chain.pem", certificate.pem.utf8)
        let keyFile = try file("key.pem", key.pemRepresentation.utf8)
        let both = try file("both.pem", (certificate.pem + "\n" + key.pemRepresentation).utf8)

        // None of these certificates has Apple's extension that lists topics: that is for APNs to judge.
        for identity in [
            try ClientIdentity(file: bundle, passphrase: "secret"),
            try ClientIdentity(file: chain, keyFile: keyFile),
            try ClientIdentity(file: both),
        ] {
            #expect(abs(identity.expiresAt.timeIntervalSinceNow - 86_400) < 60)
            #expect("\(identity)".hasPrefix("ClientIdentity(valid until"))
        }
    }

    @Test("A wrong or missing passphrase is reported with the file's name, without the passphrase")
    func passphrase() throws {
        let certificate = try TestCertificate.make(key, name: "com.example.app")
        let bundle = try file("push.p12", p12(certificate))
        for wrong in ["guess", "", nil] {
            let problem = problem { try ClientIdentity(file: bundle, passphrase: wrong) }
            #expect(problem == .wrongPassphrase(file: bundle))
            #expect(problem?.description == "\(bundle): its passphrase is missing or wrong")
        }
    }

    @Test("An encrypted PEM key needs its passphrase")
    func encryptedKey() throws {
        let chain = try file("chain.pem", Self.certificateOfEncryptedKey.utf8)
        let keyFile = try file("key.pem", Self.encryptedKey.utf8)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(throws: Never.self) {
            _ = try ClientIdentity(file: chain, keyFile: keyFile, passphrase: "secret", now: now)
        }
        #expect(
            problem { try ClientIdentity(file: chain, keyFile: keyFile, now: now) } == .wrongPassphrase(file: keyFile)
        )
    }

    @Test("Each defect of an identity file has its own error")
    func problems() throws {
        let certificate = try TestCertificate.make(key, name: "com.example.app")
        let chain = try file("chain.pem", certificate.pem.utf8)
        let keyFile = try file("key.pem", key.pemRepresentation.utf8)
        let other = try file("other.pem", P256.Signing.PrivateKey().pemRepresentation.utf8)
        let text = try file("text.txt", "hello".utf8)
        let large = try file("large.p12", repeatElement(0x30, count: ClientIdentity.largestFile + 1))
        let missing = folder.appendingPathComponent("missing.p12").path

        #expect(problem { try ClientIdentity(file: missing) } == .unreadable(file: missing))
        #expect(problem { try ClientIdentity(file: large) } == .unreadable(file: large))
        #expect(problem { try ClientIdentity(file: text) } == .notPKCS12(file: text))
        #expect(problem { try ClientIdentity(file: chain) } == .noKey(file: chain))
        #expect(problem { try ClientIdentity(file: chain, keyFile: chain) } == .noKey(file: chain))
        #expect(problem { try ClientIdentity(file: keyFile) } == .noCertificate(file: keyFile))
        #expect(problem { try ClientIdentity(file: chain, keyFile: other) } == .keyDoesNotFit(file: other))
    }

    @Test("A bundle without a key is reported without a crash")
    func bundleWithoutKey() throws {
        let certificate = try TestCertificate.make(key, name: "com.example.app")
        var bytes = try p12(certificate)
        // The names of both kinds of key bag are made into that of another bag.
        let name: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01]
        for start in bytes.indices.dropLast(name.count)
        where bytes[start..<start + name.count].elementsEqual(name) && bytes[start + name.count] < 3 {
            bytes[start + name.count] = 6
        }
        #expect(problem { try ClientIdentity(p12: bytes, passphrase: "secret") } == .noKey(file: "the bundle"))
        for length in stride(from: 0, to: bytes.count, by: 7) {
            let cut = Array(bytes.prefix(length))
            #expect(throws: ClientIdentity.Problem.self) { try ClientIdentity(p12: cut, passphrase: "secret") }
        }
    }

    @Test("An expired or not yet valid certificate is reported with the date")
    func validity() throws {
        let old = try TestCertificate.make(key, name: "com.example.app", begin: -172_800, end: -86_400)
        let early = try TestCertificate.make(key, name: "com.example.app", begin: 86_400, end: 172_800)
        guard case .expired(_, let end) = problem({ try ClientIdentity(p12: p12(old), passphrase: "secret") }) else {
            Issue.record("an expired certificate is refused")
            return
        }
        #expect(end < Date())
        let problem = problem { try ClientIdentity(p12: p12(early), passphrase: "secret") }
        guard case .notYetValid(_, let begin) = problem else {
            Issue.record("a certificate of tomorrow is refused")
            return
        }
        #expect(begin > Date())
        #expect(problem?.description.hasSuffix(String(begin.description.prefix(10))) == true)
    }

    // MARK: - What nothing here can make: a key encrypted as `openssl req` does, and a certificate of it until 2126

    private static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHjME4GCSqGSIb3DQEFDTBBMCkGCSqGSIb3DQEFDDAcBAgRHUZj3Oo/tQICCAAw
        DAYIKoZIhvcNAgkFADAUBggqhkiG9w0DBwQIdIeag4FL+BMEgZBejRTJapHv2Ue1
        YMOLz/CuiW29anjoEtnHCXnTn6+KgjMLVqHYpX6LjgYiQJXj1efiEIaADZCVeQaN
        tmzo8lp5q/ZNP0k30Pt8KFZXle35+1rJ8w9fMIZfDcFb/hx8N3H5aR8uKO4SzAb8
        f/ta2qqBckqgkfWziNrfX9vlE2tUDFpnadHNBWvci55qSBQLjCM=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    private static let certificateOfEncryptedKey = """
        -----BEGIN CERTIFICATE-----
        MIIBizCCATGgAwIBAgIUMHDGMvnyEsu6kZoErepj1A5ukmQwCgYIKoZIzj0EAwIw
        GjEYMBYGA1UEAwwPY29tLmV4YW1wbGUuYXBwMCAXDTI2MTEyMTE1NDgwM1oYDzIx
        MjYxMDI4MTU0ODAzWjAaMRgwFgYDVQQDDA9jb20uZXhhbXBsZS5hcHAwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAAQ/HwVfyqgcDmCECuS8BaMRp8tUGa2wtp5XdZOw
        ZQZozLfQ166iWfExXSH7DumwBHKQvbY+HoCGFRz/EscVhh/jo1MwUTAdBgNVHQ4E
        FgQUiZTjMwPGdH8yy07bQaiCopExCZ4wHwYDVR0jBBgwFoAUiZTjMwPGdH8yy07b
        QaiCopExCZ4wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA1oD/
        0lqzbJS1IW7XDOZiYSUbqOUXlu5JgIOySMnHRIkCIFZ5AEkt1icvMmTMCBjAvGQS
        j4dh7U9FHTu3+rAq+hYL
        -----END CERTIFICATE-----
        """
}
