package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Serializes changes to a file by two processes, app and extension, or by two instances in one.
///
/// It is held for a few file operations only: iOS kills a process that it suspends while that holds a lock on a file of an
/// App Group.
package struct FileLock: Sendable {
    /// A file of its own, because the file that the lock protects is replaced from time to time.
    package let file: URL
    /// The number of attempts, two milliseconds apart: another process may have been suspended with the lock.
    var attempts: Int

    struct Failure: Error {}

    package init(file: URL, attempts: Int = 250) {
        self.file = file
        self.attempts = attempts
    }

    package func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open(file.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        var attempt = 1
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard attempt < attempts, errno == EWOULDBLOCK || errno == EINTR else { throw Failure() }
            attempt += 1
            usleep(2_000)
        }
        defer { _ = flock(descriptor, LOCK_UN) }
        return try body()
    }
}
