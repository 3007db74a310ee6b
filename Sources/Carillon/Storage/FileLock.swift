import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Keeps two processes, app and extension, or two instances in one, from changing a file at the same time.
///
/// Held for the length of a few file operations only: iOS ends a process that it suspends while it holds a lock on a
/// file of an App Group, so no lock outlives a call.
struct FileLock {
    /// The lock is a file of its own, since what it guards is replaced as a whole from time to time.
    let file: URL
    /// How often to try, two milliseconds apart, before giving up: another process may have been suspended.
    var attempts = 250

    struct Failure: Error {}

    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
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
