import Foundation

/// A disk that is full as long as a file exists.
///
/// A library in front of the C library answers every write that would make a file longer with ENOSPC; writes to what a
/// file has already succeed, as on a full filesystem. It needs no right to mount anything, so it works in any container,
/// and a test that is killed leaves no mount behind.
struct FullDisk {
    private let library: URL
    private let flag: URL

    /// Makes the library.
    ///
    /// - Parameter folder: Where it and the flag are kept; any user may go through it.
    /// - Throws: ``Shell/Failure``; or ``Shell/Missing`` when there is no C compiler.
    init(in folder: URL) throws {
        library = try PreloadedLibrary.make("full-disk", Self.source, in: folder)
        flag = folder.appendingPathComponent("disk-is-full")
    }

    /// What starts a program on that disk.
    var launcher: [String] { ["/usr/bin/env", "LD_PRELOAD=" + library.path, "FULL_DISK_FLAG=" + flag.path] }

    func fill() throws {
        try Data().write(to: flag)
        // Each write that is refused leaves a byte in it, whoever runs the server.
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: flag.path)
    }

    /// Makes room again.
    ///
    /// - Returns: How many writes were refused.
    func clear() throws -> Int {
        let count = try Data(contentsOf: flag).count
        try FileManager.default.removeItem(at: flag)
        return count
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <sys/types.h>
        #include <sys/uio.h>
        #include <unistd.h>

        static int is_full(int file, off_t end) {
            const char *flag = getenv("FULL_DISK_FLAG");
            struct stat status;
            if (!flag || access(flag, F_OK)) return 0;
            if (fstat(file, &status) || !S_ISREG(status.st_mode) || end <= status.st_size) return 0;
            int mark = open(flag, O_WRONLY | O_APPEND);
            if (mark >= 0) {
                (void)!write(mark, ".", 1);
                close(mark);
            }
            errno = ENOSPC;
            return 1;
        }

        ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
            static ssize_t (*real)(int, const void *, size_t, off64_t);
            if (!real) real = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
            return is_full(file, offset + (off_t)count) ? -1 : real(file, bytes, count, offset);
        }

        ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
            return pwrite64(file, bytes, count, offset);
        }

        ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
            static ssize_t (*real)(int, const struct iovec *, int, off64_t);
            off_t end = offset;
            if (!real) real = (ssize_t (*)(int, const struct iovec *, int, off64_t))dlsym(RTLD_NEXT, "pwritev64");
            for (int part = 0; part < count; part++) end += (off_t)parts[part].iov_len;
            return is_full(file, end) ? -1 : real(file, parts, count, offset);
        }

        ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
            return pwritev64(file, parts, count, offset);
        }
        """
}

/// A library of a few lines of C that is loaded before the C library.
enum PreloadedLibrary {
    /// Compiles one.
    ///
    /// - Throws: ``Shell/Failure``; or ``Shell/Missing`` when there is no C compiler, though Swift's toolchain has one.
    static func make(_ name: String, _ source: String, in folder: URL) throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let compilers = path.split(separator: ":").flatMap { folder in ["clang", "cc"].map { "\(folder)/\($0)" } }
        guard let compiler = compilers.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Shell.Missing(program: "a C compiler, clang or cc")
        }
        let file = folder.appendingPathComponent(name + ".c")
        try source.write(to: file, atomically: true, encoding: .utf8)
        let library = folder.appendingPathComponent(name + ".so")
        try Shell.run(compiler, "-shared", "-fPIC", "-O", "-o", library.path, file.path)
        return library
    }
}
