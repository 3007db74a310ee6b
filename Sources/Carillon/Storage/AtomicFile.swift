import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Replaces a file as a whole.
enum AtomicFile {
    /// What the system said.
    struct Failure: Error {
        let errno: Int32
    }

    /// Writes beside the file and renames over it: a process killed at any moment leaves either the old or the new,
    /// readable by this user alone from its first byte.
    ///
    /// - Parameters:
    ///   - data: The whole of the new file.
    ///   - file: Where it goes; the folder must exist.
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

    /// Adds to the end of a file, making it if need be.
    ///
    /// - Parameters:
    ///   - data: What to add.
    ///   - file: The file; the folder must exist.
    /// - Throws: ``Failure``; a part may have been written then.
    static func append(_ data: Data, to file: URL) throws {
        let descriptor = open(file.path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        try data.withUnsafeBytes { try writeAll($0, to: descriptor) }
    }

    /// Tells one state of a file from another: by which file it is, and how long.
    struct Mark: Equatable, Sendable {
        let file: UInt64
        let size: Int64
    }

    /// The file's present state; `nil` when there is none.
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

/// Outside of the type, whose own `write` would hide the system's.
private func writeSome(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
