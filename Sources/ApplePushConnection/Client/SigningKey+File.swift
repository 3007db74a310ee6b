public import ApplePush

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SigningKey {
    /// Reads a key file from the disk.
    ///
    /// - Parameters:
    ///   - path: The `.p8` file that Apple issued, at most 64 KiB.
    ///   - keyID: The key's id: the ten characters in the name that Apple gave the file.
    ///   - teamID: The team's id.
    /// - Throws: The system's error when the file cannot be read, `SigningKey.Problem` when it has no usable key.
    public init(file path: String, keyID: String, teamID: String) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        guard data.count <= 65_536 else { throw Problem.notPEM }
        try self.init(pem: String(decoding: data, as: UTF8.self), keyID: keyID, teamID: teamID)
    }
}
