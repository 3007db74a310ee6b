import ApplePushSimulator
import Foundation

/// Files with a push certificate of the simulator's authority, in both common formats.
enum ClientCertificateFiles {
    /// The passphrase of the `.p12`; many clients refuse one without.
    static let passphrase = "carillon"

    /// Creates a certificate for a topic, valid in both environments.
    ///
    /// - Parameters:
    ///   - topic: The base topic: a bundle identifier. The files are named after it.
    ///   - handle: The simulator whose authority signs.
    /// - Returns: The contents by file name: of the `.pem`, certificate and key, and the `.p12`.
    /// - Throws: ``SimulatorHandle/Failure/badCertificateOrder``.
    static func make(_ topic: String, from handle: SimulatorHandle) throws -> [String: Data] {
        let order = ClientCertificateOrder(topic: topic)
        let certificate = try handle.issueClientCertificate(order, passphrase: passphrase)
        let pem = certificate.certificatePEM + certificate.privateKeyPEM
        return ["\(topic).pem": Data(pem.utf8), "\(topic).p12": Data(certificate.pkcs12)]
    }

    /// Writes files that only their owner may read; existing ones are replaced.
    ///
    /// - Throws: An error of writing a file.
    static func write(_ files: [String: Data], to folder: URL) throws {
        for (name, contents) in files {
            let isWritten = FileManager.default.createFile(
                atPath: folder.appendingPathComponent(name).path,
                contents: contents,
                attributes: [.posixPermissions: 0o600]
            )
            guard isWritten else { throw CocoaError(.fileWriteUnknown) }
        }
    }
}
