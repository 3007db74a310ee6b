import NIOSSL

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A client certificate for APNs with its key: an alternative to provider tokens.
///
/// It authenticates the connection: no provider token is sent, and all streams may be used at once. One certificate
/// serves one App ID; location pushes and Live Activities need a key instead (Apple: "Establishing a certificate-based
/// connection to APNs"). The certificate's topics are not checked: APNs does that.
///
/// The key is a secret, and never part of `description`.
public struct ClientIdentity: Sendable {
    /// Why a certificate cannot be used; it names the file, and never contains a part of a key or a passphrase.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file cannot be read, or is larger than ``ClientIdentity/largestFile``.
        case unreadable(file: String)
        /// The file is not a PKCS #12 bundle (`.p12`).
        case notPKCS12(file: String)
        /// The passphrase is missing or wrong.
        case wrongPassphrase(file: String)
        /// The file has no certificate.
        case noCertificate(file: String)
        /// The file has no private key.
        case noKey(file: String)
        /// The private key does not belong to the first certificate.
        case keyDoesNotFit(file: String)
        /// The certificate has expired.
        case expired(file: String, at: Date)
        /// The certificate is not valid yet; probably a clock is wrong.
        case notYetValid(file: String, until: Date)

        /// A description of the problem.
        public var description: String {
            switch self {
            case .unreadable(let file): "\(file): it cannot be read as a file of at most a mebibyte"
            case .notPKCS12(let file): "\(file): it is neither PEM nor a PKCS #12 bundle"
            case .wrongPassphrase(let file): "\(file): its passphrase is missing or wrong"
            case .noCertificate(let file): "\(file): it has no certificate"
            case .noKey(let file): "\(file): it has no private key"
            case .keyDoesNotFit(let file): "\(file): the private key is not that of the first certificate"
            case .expired(let file, let date): "\(file): the certificate expired on \(Self.day(date))"
            case .notYetValid(let file, let date): "\(file): the certificate is not valid before \(Self.day(date))"
            }
        }

        private static func day(_ date: Date) -> String { String(date.description.prefix(10)) }
    }

    /// Maximum size of a file in bytes.
    public static let largestFile = 1 << 20

    /// When the certificate expires.
    public let expiresAt: Date
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads a certificate with its key: PEM when the file contains a PEM block, else PKCS #12.
    ///
    /// - Parameters:
    ///   - path: The file: a `.p12`, or the PEM chain, the certificate itself first.
    ///   - keyPath: The PEM file of the key; `nil` when the key is in the first file.
    ///   - passphrase: The passphrase of the bundle or key; `nil` for none.
    ///   - now: The time at which the certificate must be valid.
    /// - Throws: ``Problem``.
    public init(
        file path: String,
        keyFile keyPath: String? = nil,
        passphrase: String? = nil,
        now: Date = Date()
    ) throws(Problem) {
        let bytes = try Self.contents(of: path)
        guard keyPath != nil || Self.contains(bytes, "-----BEGIN ") else {
            try self.init(p12: bytes, passphrase: passphrase, name: path, now: now)
            return
        }
        let keyBytes = if let keyPath { try Self.contents(of: keyPath) } else { bytes }
        try self.init(
            pem: bytes,
            key: keyBytes,
            passphrase: passphrase,
            names: (path, keyPath ?? path),
            now: now
        )
    }

    /// Reads a PKCS #12 bundle, as the Keychain exports it.
    ///
    /// - Parameters:
    ///   - bytes: The bundle.
    ///   - passphrase: Its passphrase; `nil` for none.
    ///   - name: The name of the file in problems.
    ///   - now: The time at which the certificate must be valid.
    /// - Throws: ``Problem``.
    public init(
        p12 bytes: [UInt8],
        passphrase: String?,
        name: String = "the bundle",
        now: Date = Date()
    ) throws(Problem) {
        guard bytes.first == 0x30 else { throw .notPKCS12(file: name) }
        // NIOSSL traps when a bundle has no key or no certificate; the types of both bags are not encrypted.
        guard Self.keyBags.contains(where: { Self.contains(bytes, $0) }) else { throw .noKey(file: name) }
        guard Self.certificateBags.contains(where: { Self.contains(bytes, $0) }) else {
            throw .noCertificate(file: name)
        }
        let bundle: NIOSSLPKCS12Bundle
        do {
            bundle = try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: passphrase?.utf8)
        } catch {
            throw String(describing: error).contains("INCORRECT_PASSWORD")
                ? .wrongPassphrase(file: name) : .notPKCS12(file: name)
        }
        try self.init(bundle.certificateChain, bundle.privateKey, names: (name, name), now: now)
    }

    // MARK: - Private

    private init(
        pem: [UInt8],
        key keyBytes: [UInt8],
        passphrase: String?,
        names: (chain: String, key: String),
        now: Date
    ) throws(Problem) {
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(pem), !chain.isEmpty else {
            throw .noCertificate(file: names.chain)
        }
        guard Self.contains(keyBytes, "PRIVATE KEY-----") else { throw .noKey(file: names.key) }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: keyBytes, format: .pem) { $0((passphrase ?? "").utf8) }
        } catch {
            throw Self.contains(keyBytes, "ENCRYPTED") ? .wrongPassphrase(file: names.key) : .noKey(file: names.key)
        }
        try self.init(chain, key, names: names, now: now)
    }

    private init(
        _ chain: [NIOSSLCertificate],
        _ key: NIOSSLPrivateKey,
        names: (chain: String, key: String),
        now: Date
    ) throws(Problem) {
        guard let leaf = chain.first else { throw .noCertificate(file: names.chain) }
        expiresAt = Date(timeIntervalSince1970: Double(leaf.notValidAfter))
        self.chain = chain
        self.key = key
        guard expiresAt > now else { throw .expired(file: names.chain, at: expiresAt) }
        let begin = Date(timeIntervalSince1970: Double(leaf.notValidBefore))
        guard begin <= now else { throw .notYetValid(file: names.chain, until: begin) }
        var tls = TLSConfiguration.makeClientConfiguration()
        present(in: &tls)
        do {
            _ = try NIOSSLContext(configuration: tls)
        } catch {
            throw .keyDoesNotFit(file: names.key)
        }
    }

    /// Configures TLS with the certificate and key.
    func present(in tls: inout TLSConfiguration) {
        tls.certificateChain = chain.map { .certificate($0) }
        tls.privateKey = .privateKey(key)
    }

    /// Object identifiers in DER: a key bag and a shrouded key bag (RFC 7292, appendix D).
    private static let keyBags = [bag(1), bag(2)]
    /// A certificate bag, and encrypted content, in which there is usually one.
    private static let certificateBags = [bag(3), [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x06]]

    private static func bag(_ number: UInt8) -> [UInt8] {
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, number]
    }

    private static func contents(of path: String) throws(Problem) -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= largestFile, !data.isEmpty else {
            throw .unreadable(file: path)
        }
        return Array(data)
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool { contains(bytes, Array(text.utf8)) }

    private static func contains(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
        guard let first = pattern.first, bytes.count >= pattern.count else { return false }
        return (0...(bytes.count - pattern.count)).contains { start in
            bytes[start] == first && bytes[start..<start + pattern.count].elementsEqual(pattern)
        }
    }
}

extension ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The expiration; never the key.
    public var description: String { "ClientIdentity(valid until \(expiresAt))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
