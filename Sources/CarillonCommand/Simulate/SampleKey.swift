import ApplePushSimulator
import Crypto
import Foundation

/// A key pair as a team downloads it from Apple, made for the simulator and known to it.
struct SampleKey {
    static let keyID = "SIMKEY0001"
    static let teamID = "SIMTEAM001"
    static let usualFolder = FileManager.default.temporaryDirectory
        .appendingPathComponent("carillon-apns-simulator", isDirectory: true)

    let folder: URL
    let file: URL
    private let privateKey: P256.Signing.PrivateKey

    /// Reads the key from a folder, or makes one there that only its owner may read.
    init(folder: URL) throws {
        self.folder = folder
        file = folder.appendingPathComponent("AuthKey_\(Self.keyID).p8")
        if let pem = try? String(contentsOf: file, encoding: .utf8) {
            privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
            return
        }
        privateKey = P256.Signing.PrivateKey()
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let isWritten = FileManager.default.createFile(
            atPath: file.path,
            contents: Data((privateKey.pemRepresentation + "\n").utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isWritten else { throw CocoaError(.fileWriteUnknown) }
    }

    var signingKey: SigningKey {
        SigningKey(keyID: Self.keyID, teamID: Self.teamID, publicKey: privateKey.publicKey)
    }
}
