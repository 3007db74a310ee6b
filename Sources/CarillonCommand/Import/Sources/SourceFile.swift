import Foundation

/// A file of an import.
struct SourceFile {
    /// As reports name it: the last component of its path.
    var name: String
    var path: String

    /// How many bytes are read at once: decompressed they may be a thousand times as many.
    static let partSize = 1 << 17

    /// Finds the files of an import; folders stand for all files in them, in the order of their names.
    ///
    /// - Parameters:
    ///   - paths: As they were given.
    ///   - spool: Where the standard input is, if it is one of them.
    /// - Returns: The files.
    /// - Throws: `CommandFailure` for a path where nothing is, or a folder without files.
    static func all(_ paths: [String], spool: URL?) throws -> [SourceFile] {
        var files: [SourceFile] = []
        for path in paths {
            if path == "-", let spool {
                files.append(SourceFile(name: "-", path: spool.path))
                continue
            }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw CommandFailure(.missing, "Cannot read \(path).")
            }
            guard isFolder.boolValue else {
                files.append(SourceFile(name: URL(fileURLWithPath: path).lastPathComponent, path: path))
                continue
            }
            let found = try inside(path)
            guard !found.isEmpty else { throw CommandFailure(.missing, "There is no file in \(path).") }
            files += found
        }
        return files
    }

    /// Copies the standard input into a file that only its owner may read: an import reads twice.
    static func spoolInput(_ input: FileHandle, to file: URL) throws {
        let isMade = FileManager.default.createFile(
            atPath: file.path,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard isMade, let output = FileHandle(forWritingAtPath: file.path) else {
            throw CommandFailure(.cannotCreate, "Cannot write \(file.path).")
        }
        defer { try? output.close() }
        while let part = try input.read(upToCount: 1 << 20), !part.isEmpty { try output.write(contentsOf: part) }
    }

    /// Opens the file.
    ///
    /// - Throws: `CommandFailure` when it cannot be read.
    func open() throws -> FileHandle {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(.missing, "Cannot read \(path).")
        }
        return handle
    }

    private static func inside(_ folder: String) throws -> [SourceFile] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        return names.compactMap { name in
            let path = folder + "/" + name
            var isFolder: ObjCBool = false
            // What begins with a dot is the file system's, _SUCCESS and the like a job's.
            let last = name.split(separator: "/").last ?? ""
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
                !last.hasPrefix("."), !last.hasPrefix("_")
            else { return nil }
            return SourceFile(name: name, path: path)
        }
    }
}
