import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Replaces files atomically.
enum AtomicFile {
    /// An error of the system.
    struct Failure: Error {
        let errno: Int32
    }

    /// Writes a temporary file and renames it: a process that is killed at any moment leaves either the old or the new file,
    /// readable by this user alone.
    ///
    /// - Parameters:
    ///   - data: The new content.
    ///   - file: The file; its folder must exist.
    /// - Throws: ``Failure``; the old file is still there then.
    static func write(_ data: Data, to file: URL) throws {
        let fresh = file.path + "." + UUID().uuidString
        let descriptor = open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        do {
            try data.withUnsafeBytes { try writeAll($0, to: descriptor) }
            guard fsync(descriptor) == 0 else { throw Failure(errno: errno) }
        } catch {
            close(descriptor)
            unlink(fresh)
            throw error
        }
        close(descriptor)
        guard rename(fresh, file.path) == 0 else {
            let failure = Failure(errno: errno)
            unlink(fresh)
            throw failure
        }
    }

    /// Appends to a file, which is made if there is none.
    ///
    /// - Parameters:
    ///   - data: The bytes to append.
    ///   - file: The file; the folder must exist.
    /// - Throws: ``Failure``; a part may have been written.
    static func append(_ data: Data, to file: URL) throws {
        let descriptor = open(file.path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        try data.withUnsafeBytes { try writeAll($0, to: descriptor) }
    }

    /// Identifies a state of a file by its inode and its size.
    struct Mark: Equatable, Sendable {
        let file: UInt64
        let size: Int64
    }

    /// The file's state now; `nil` when there is no file.
    static func mark(of file: URL) -> Mark? {
        var status = stat()
        guard stat(file.path, &status) == 0 else { return nil }
        return Mark(file: UInt64(status.st_ino), size: Int64(status.st_size))
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = writeSome(UnsafeRawBufferPointer(rebasing: rest), to: descriptor)
            guard count >= 0 || errno == EINTR else { throw Failure(errno: errno) }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}

/// Outside of the type, whose `write` would shadow the system's.
private func writeSome(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
