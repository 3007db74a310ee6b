import ApplePushSimulator
import Foundation

/// A push certificate of the simulator's authority, in files of both forms that clients read.
enum ClientCertificateFiles {
    /// Of the `.p12`; many clients refuse one without.
    static let passphrase = "carillon"

    /// Makes a certificate for a topic, good for both environments, and writes it where only its owner may read.
    ///
    /// - Parameters:
    ///   - topic: The base topic: a bundle identifier. The files are named after it.
    ///   - handle: The simulator whose authority signs.
    ///   - folder: Where the `.pem`, certificate and key, and the `.p12` go; files that are there are replaced.
    /// - Throws: ``SimulatorHandle/Failure/badCertificateOrder``, or what kept a file from being written.
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
