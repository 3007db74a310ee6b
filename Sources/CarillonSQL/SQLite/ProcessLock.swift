import Foundation
package import StoreErrors

/// Holds a lock (`flock`) on a side file during its lifetime, so that two processes never open one database.
///
/// The system releases it when the process ends, however it ends.
package final class ProcessLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Parameter path: The database's path; the side file's name ends in `-lock`.
    /// - Throws: ``StoreError/unavailable(_:)`` naming the path when another process holds it, ``StoreError/failed(_:)``
    ///   when the side file cannot be opened or locked at all.
    package init(databasePath path: String) throws(StoreError) {
        let lockPath = path + "-lock"
        let file = open(lockPath, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw .failed("Cannot open \(lockPath): \(String(cString: strerror(errno))).")
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let (holder, code) = (Self.holder(file), errno)
            close(file)
            guard code == EWOULDBLOCK else {
                throw .failed("Cannot lock \(lockPath): \(String(cString: strerror(code))).")
            }
            throw .unavailable("The database \(path) is in use by another process\(holder).")
        }
        // Set only now: from here on `deinit` closes it.
        descriptor = file
        let text = Array("\(getpid())\n".utf8)
        // The process id only helps people; the lock works without it.
        if ftruncate(file, 0) == 0 { _ = pwrite(file, text, text.count, 0) }
    }

    deinit {
        // A child that is just being started has the file open until it runs its program: closing alone would not release it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return digits.isEmpty ? "" : " (\(String(decoding: digits, as: UTF8.self)))"
    }
}
