import ApplePushSimulator
import Foundation

/// Files with a push certificate of the simulator's authority, in both common formats.
enum ClientCertificateFiles {
    /// The passphrase of the `.p12`; many clients refuse one without.
    static let passphrase = "carillon"

    /// Creates a certificate for a topic, valid in both environments, in files that only their owner may read.
    ///
    /// - Parameters:
    ///   - topic: The base topic: a bundle identifier. The files are named after it.
    ///   - handle: The simulator whose authority signs.
    ///   - folder: The folder of the `.pem`, certificate and key, and the `.p12`; existing files are replaced.
    /// - Throws: ``SimulatorHandle/Failure/badCertificateOrder``, or the error of writing a file.
    static func write(_ topic: String, from handle: SimulatorHandle, to folder: URL) throws {
        let order = ClientCertificateOrder(topic: topic)
        let certificate = try handle.issueClientCertificate(order, passphrase: passphrase)
        let pem = certificate.certificatePEM + certificate.privateKeyPEM
        for (kind, contents) in [("pem", Data(pem.utf8)), ("p12", Data(certificate.pkcs12))] {
            let isWritten = FileManager.default.createFile(
                atPath: folder.appendingPathComponent("\(topic).\(kind)").path,
                contents: contents,
                attributes: [.posixPermissions: 0o600]
            )
            guard isWritten else { throw CocoaError(.fileWriteUnknown) }
        }
    }
}
