package import CarillonEngine
import Foundation

/// The master key's file: 32 random bytes, readable by its owner alone, kept apart from the database and its backups.
package enum MasterKeyFile {
    /// Reads the key, or makes it when there is no file.
    ///
    /// - Parameter path: Where it lies.
    /// - Returns: 32 bytes.
    /// - Throws: ``StoreError/unavailable(_:)`` naming the path when it cannot be read or made, or is no key.
    package static func load(path: String) throws(StoreError) -> [UInt8] {
        if let key = try read(path) { return key }
        let key = RandomBytes.system(Vault.keyByteCount)
        // Written aside and linked: the file is whole from the moment it has its name, and of two first starts one wins.
        let draft = path + ".\(getpid()).new"
        defer { unlink(draft) }
        let descriptor = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("make", path) }
        let isWritten = write(descriptor, key, key.count) == key.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten else { throw failure("write", path) }
        if link(draft, path) == 0 { return key }
        guard errno == EEXIST, let other = try read(path) else { throw failure("make", path) }
        return other
    }

    private static func read(_ path: String) throws(StoreError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw failure("read", path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Vault.keyByteCount + 1)
        guard Foundation.read(descriptor, &bytes, bytes.count) == Vault.keyByteCount else {
            throw .unavailable("The master key file \(path) does not have \(Vault.keyByteCount) bytes.")
        }
        return Array(bytes.prefix(Vault.keyByteCount))
    }

    private static func failure(_ verb: String, _ path: String) -> StoreError {
        .unavailable("Cannot \(verb) the master key file \(path): \(String(cString: strerror(errno))).")
    }
}
