package import CarillonEngine
import CarillonSQL
import Foundation

/// The master key's file: 32 random bytes, readable by its owner alone, kept apart from the database and its backups.
///
/// While the master key is replaced it has two keys, one after the other; up to four are read.
package enum MasterKeyFile {
    /// Reads the key, or makes it when there is no file.
    ///
    /// - Parameters:
    ///   - path: Where it lies.
    ///   - mayMake: Whether a new key can be the right one: not where something is sealed already.
    /// - Returns: The keys, 32 bytes each; at least one.
    /// - Throws: ``StoreError/unavailable(_:)`` naming the path when it cannot be read or made, is no key, or is readable
    ///   by others than its owner.
    package static func load(path: String, mayMake: Bool = true) throws(StoreError) -> [[UInt8]] {
        if let keys = try read(path) { return keys }
        guard mayMake else {
            throw .unavailable(
                """
                The store has secrets, but there is no master key at \(path). Put the file back that was there when the \
                store was made, or copy it from another node, or name it with --master-key-file.
                """
            )
        }
        let key = RandomBytes.system(Vault.keyByteCount)
        // Written aside and linked: the file is whole from the moment it has its name, and of two first starts one wins.
        let draft = path + ".\(getpid()).new"
        defer { unlink(draft) }
        try write(key, to: draft, named: path)
        if link(draft, path) == 0 { return [key] }
        guard errno == EEXIST, let other = try read(path) else { throw failure("make", path) }
        return other
    }

    /// Puts keys in the place of those of a file, which is whole at any moment.
    ///
    /// - Parameters:
    ///   - keys: 32 bytes each.
    ///   - path: The file; it need not be there.
    /// - Throws: ``StoreError/unavailable(_:)`` naming the path; the file is as it was then.
    package static func save(_ keys: [[UInt8]], to path: String) throws(StoreError) {
        let draft = path + ".\(getpid()).new"
        defer { unlink(draft) }
        try write(keys.flatMap(\.self), to: draft, named: path)
        try preserveOwner(of: path, for: draft)
        guard rename(draft, path) == 0 else { throw failure("write", path) }
        // The name is on the disk with its folder.
        let folder = open((path as NSString).deletingLastPathComponent + "/.", O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private static func write(_ bytes: [UInt8], to draft: String, named path: String) throws(StoreError) {
        let descriptor = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("make", path) }
        let isWritten = Foundation.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten else { throw failure("write", path) }
    }

    /// Gives a draft the owner and the mode of the file whose place it takes: the server's user must be able to read it,
    /// and what is read-only stays so.
    private static func preserveOwner(of path: String, for draft: String) throws(StoreError) {
        var former = stat()
        guard stat(path, &former) == 0 else {
            // There is none yet.
            if errno == ENOENT { return }
            throw failure("read", path)
        }
        // What others may do with it is not kept: no server starts with such a file.
        guard chmod(draft, former.st_mode & 0o600) == 0 else { throw failure("write", path) }
        guard chown(draft, former.st_uid, former.st_gid) == 0 else {
            throw .unavailable(
                """
                The master key file \(path) belongs to another user, who could not read a new one: run the command as \
                that user, or as root.
                """
            )
        }
    }

    private static func read(_ path: String) throws(StoreError) -> [[UInt8]]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw failure("read", path) }
        defer { close(descriptor) }
        try checkMode(descriptor, path)
        var bytes = [UInt8](repeating: 0, count: Vault.keyByteCount * Vault.keyLimit + 1)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        guard count > 0, count < bytes.count, count % Vault.keyByteCount == 0 else {
            throw .unavailable(
                """
                The master key file \(path) does not have \(Vault.keyByteCount) bytes, or those of \(Vault.keyLimit) keys at \
                most.
                """
            )
        }
        return stride(from: 0, to: count, by: Vault.keyByteCount).map { Array(bytes[$0..<$0 + Vault.keyByteCount]) }
    }

    /// Refuses a key that was laid open: whoever read it with the store has every secret.
    private static func checkMode(_ descriptor: Int32, _ path: String) throws(StoreError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
        guard status.st_mode & 0o077 == 0 else {
            throw .unavailable(
                """
                The master key file \(path) has mode 0\(String(status.st_mode & 0o777, radix: 8)): others than its owner \
                can use it. Run: chmod 600 \(path)
                """
            )
        }
    }

    private static func failure(_ verb: String, _ path: String) -> StoreError {
        .unavailable("Cannot \(verb) the master key file \(path): \(String(cString: strerror(errno))).")
    }
}
