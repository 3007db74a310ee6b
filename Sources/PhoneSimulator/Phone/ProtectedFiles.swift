import Foundation

/// An app's files after a restart of the phone: until the first unlock they exist and can be neither read nor replaced.
///
/// A folder of a file's name stands in its place, which the system refuses to open as a file. "The file is stored in an encrypted
/// format on disk and cannot be accessed until after the device has booted" and was unlocked (Apple,
/// completeUntilFirstUserAuthentication).
struct ProtectedFiles {
    private static let suffix = ".protected"

    let folder: URL

    /// Takes the files away, as a restart does.
    ///
    /// - Throws: Any error when a file cannot be moved.
    func protect() throws {
        for file in try files() where !file.path.hasSuffix(Self.suffix) {
            try FileManager.default.moveItem(atPath: file.path, toPath: file.path + Self.suffix)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
    }

    /// Gives the files back, as the first unlock does.
    ///
    /// - Throws: Any error when a file cannot be moved.
    func unprotect() throws {
        for file in try files() where file.path.hasSuffix(Self.suffix) {
            let path = String(file.path.dropLast(Self.suffix.count))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: file.path, toPath: path)
        }
    }

    private func files() throws -> [URL] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return try (all?.compactMap { $0 as? URL } ?? []).filter {
            try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        }
    }
}
