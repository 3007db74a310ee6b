public import Foundation

/// Stores the Device's identity in a file that this user alone may read.
public struct FileSecretStore: SecretStore {
    private let file: URL

    /// Makes a store of a file; its folder must exist.
    ///
    /// - Parameter file: The file.
    public init(file: URL) { self.file = file }

    /// Reads the identity.
    ///
    /// - Returns: The identity; `nil` when there is no file.
    /// - Throws: An error when there is a file that cannot be read or decoded.
    public func load() throws -> DeviceIdentity? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try JSONDecoder().decode(DeviceIdentity.self, from: Data(contentsOf: file))
    }

    /// Writes the identity beside the old one and renames it over it; the file is never readable by others.
    ///
    /// - Parameter identity: The identity.
    /// - Throws: An error when it cannot be written.
    public func save(_ identity: DeviceIdentity) throws {
        try AtomicFile.write(JSONEncoder().encode(identity), to: file)
    }

    /// Deletes the file.
    ///
    /// - Throws: An error when it is still there.
    public func remove() throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try FileManager.default.removeItem(at: file)
    }
}
