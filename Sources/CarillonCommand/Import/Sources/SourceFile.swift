import Foundation

/// A file of an import.
struct SourceFile {
    /// As reports name it: the last component of its path.
    var name: String
    var path: String

    /// Finds the files of an import; folders stand for all files in them, in the order of their names.
    ///
    /// - Parameters:
    ///   - paths: As they were given.
    ///   - spool: Where what can be read only once is copied: the standard input, and pipes such as `<(…)` of a shell.
    /// - Returns: The files.
    /// - Throws: `CommandFailure` for a path where nothing is, or a folder without files.
    static func all(_ paths: [String], spool: InputSpool) throws -> [SourceFile] {
        var files: [SourceFile] = []
        for path in paths {
            if path == "-" {
                files.append(SourceFile(name: "-", path: try spool.standardInput()))
                continue
            }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw CommandFailure(.missing, "Cannot read \(path).")
            }
            guard isFolder.boolValue else {
                let file = SourceFile(name: URL(fileURLWithPath: path).lastPathComponent, path: path)
                files.append(file.canBeReadAgain ? file : try spool.copy(file))
                continue
            }
            let found = try inside(path)
            guard !found.isEmpty else { throw CommandFailure(.missing, "There is no file in \(path).") }
            files += found
        }
        return files
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

    /// Which file it is, whatever path leads to it; `nil` when nothing is there.
    var identity: FileIdentity? { FileIdentity(path) }

    private var canBeReadAgain: Bool { identity?.isRegular ?? true }

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

/// Which file a path leads to.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64
    /// Whether it is a file with contents, and no pipe or terminal.
    let isRegular: Bool

    /// - Parameter path: A path; links are followed.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}

/// Copies of what can be read only once, in a folder that only its owner may read and that goes with this object: an
/// import reads twice.
final class InputSpool {
    private let folder: URL
    private var count = 0
    private var input: String?

    /// - Parameter folder: Where its own folder is made when it needs one.
    init(in folder: URL = FileManager.default.temporaryDirectory) {
        self.folder = folder.appendingPathComponent("carillon-input-\(UUID().uuidString)", isDirectory: true)
    }

    deinit { if count > 0 { try? FileManager.default.removeItem(at: folder) } }

    /// The path of a copy of the standard input.
    ///
    /// - Throws: `CommandFailure` when it cannot be written.
    func standardInput() throws -> String {
        if let input { return input }
        let path = try copy(.standardInput)
        input = path
        return path
    }

    /// - Returns: The file's copy, under the file's name.
    /// - Throws: `CommandFailure` when it cannot be read or written.
    func copy(_ file: SourceFile) throws -> SourceFile {
        SourceFile(name: file.name, path: try copy(try file.open()))
    }

    private func copy(_ input: FileHandle) throws -> String {
        if count == 0 {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        let file = folder.appendingPathComponent("\(count)")
        count += 1
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
        return file.path
    }
}
