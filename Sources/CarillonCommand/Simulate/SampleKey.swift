import ApplePushSimulator
import Crypto
import Foundation

/// A push key as a team downloads it from Apple, generated for the simulator.
struct SampleKey {
    static let keyID = "SIMKEY0001"
    static let teamID = "SIMTEAM001"
    static let usualFolder = FileManager.default.temporaryDirectory
        .appendingPathComponent("carillon-apns-simulator", isDirectory: true)

    let folder: URL
    let file: URL
    private let privateKey: P256.Signing.PrivateKey

    /// Reads the key from the usual folder, or generates one there that only its owner may read.
    ///
    /// The folder's name is known, so anybody on the machine may have created it: it is used only when it belongs to
    /// this user and nobody else can read it.
    ///
    /// - Parameter usualFolder: The folder; created when it is missing.
    /// - Throws: `CommandFailure` when it belongs to another user, or others may read it.
    init(usualFolder: URL) throws {
        try Self.make(usualFolder)
        // For a symbolic link these are the link's own attributes.
        let facts = try FileManager.default.attributesOfItem(atPath: usualFolder.path)
        guard facts[.type] as? FileAttributeType == .typeDirectory,
            (facts[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
            let mode = (facts[.posixPermissions] as? NSNumber)?.uint16Value, mode & 0o077 == 0
        else {
            throw CommandFailure(
                description: """
                    \(usualFolder.path) is not a folder of this user alone, and the sample key would lie there. Remove it, \
                    or name another folder with --folder.
                    """
            )
        }
        try self.init(folder: usualFolder)
    }

    /// Reads the key from a folder, or generates one there that only its owner may read.
    init(folder: URL) throws {
        self.folder = folder
        file = folder.appendingPathComponent("AuthKey_\(Self.keyID).p8")
        if let pem = try? String(contentsOf: file, encoding: .utf8) {
            privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
            return
        }
        privateKey = P256.Signing.PrivateKey()
        try Self.make(folder)
        let isWritten = FileManager.default.createFile(
            atPath: file.path,
            contents: Data((privateKey.pemRepresentation + "\n").utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isWritten else { throw CocoaError(.fileWriteUnknown) }
    }

    private static func make(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    var signingKey: SigningKey {
        SigningKey(keyID: Self.keyID, teamID: Self.teamID, publicKey: privateKey.publicKey)
    }
}
