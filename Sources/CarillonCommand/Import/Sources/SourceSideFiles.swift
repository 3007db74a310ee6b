import ArgumentParser
import CarillonImporters
import CarillonModel
import Foundation

/// The files that an import writes besides: refused rows, devices of other platforms, and columns that are not read.
///
/// They are made when the import has read its files once, so that one that fails before replaces nothing.
final class SourceSideFiles {
    /// Where they are; `nil` for none, and for the standard error in the place of a file for refused rows.
    struct Paths: Equatable {
        var rejects: String?
        var others: String?
        var unread: String?

        fileprivate var all: [(option: String, path: String)] {
            [("--rejects", rejects), ("--others", others), ("--unread", unread)].compactMap { option, path in
                path.map { (option, $0) }
            }
        }
    }

    private let paths: Paths
    private var rejects: RejectReport?
    private var others: LineFile?
    private var unread: LineFile?

    /// - Parameters:
    ///   - paths: Where they are.
    ///   - inputs: The files of the import, which none of them may replace.
    /// - Throws: `ValidationError` when two of them, or one and an input, are the same file; `CommandFailure` when one's
    ///   folder cannot be written.
    init(_ paths: Paths, inputs: [SourceFile] = []) throws {
        self.paths = paths
        let taken = Set(inputs.compactMap(\.identity))
        var met: [String: String] = [:]
        for (option, path) in paths.all {
            let url = URL(fileURLWithPath: path)
            let folder = url.deletingLastPathComponent()
            let place = folder.resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent).path
            if let identity = FileIdentity(path), identity.isRegular, taken.contains(identity) {
                throw ValidationError("\(option) names a file of the import, which it would replace.")
            }
            if let other = met.updateValue(option, forKey: place) {
                throw ValidationError("\(other) and \(option) name the same file.")
            }
            guard FileManager.default.isWritableFile(atPath: folder.path) else {
                throw CommandFailure(.cannotCreate, "Cannot write \(path).")
            }
        }
    }

    /// Whether ``keep(_:of:)-(UnreadRow,_)`` has somewhere to write.
    var keepsUnread: Bool { paths.unread != nil }

    /// Makes the files.
    ///
    /// - Throws: `CommandFailure` when one cannot be made.
    func open() throws {
        rejects = try RejectReport(path: paths.rejects)
        others = try paths.others.map { try LineFile($0) }
        unread = try paths.unread.map { try LineFile($0) }
    }

    /// Adds a refused row; the reason never has a value.
    func reject(_ line: SourceLine, of files: [SourceFile], _ problem: String) {
        rejects?.add(line: line.line, problem: files.count == 1 ? problem : "\(files[line.file].name): \(problem)")
    }

    /// Stores a device of another platform for the day on which it can be imported.
    func keep(_ device: OtherDevice) throws {
        guard let others else { return }
        let record = device.record
        try others.add(
            OtherLine(
                platform: device.platform,
                address: device.address,
                registration: record.registration,
                consentTimes: record.consentTimes == ConsentTimes() ? nil : record.consentTimes,
                tags: record.tags,
                attributes: record.attributes,
                seenAt: record.seenAt
            )
        )
    }

    /// Stores the fields of a row in columns that are not read.
    func keep(_ row: UnreadRow, of file: String) throws {
        try unread?.add(UnreadLine(file: file, line: row.line, fields: row.fields))
    }

    /// Writes what is left.
    func close() throws {
        try others?.close()
        try unread?.close()
        try rejects?.close()
    }

    /// A line of the file for other platforms.
    private struct OtherLine: Encodable {
        var platform: String
        var address: String
        var registration: Registration
        var consentTimes: ConsentTimes?
        var tags: [String]
        var attributes: [String: JSONValue]
        var seenAt: Timestamp?
    }

    /// A line of the file for columns that are not read.
    private struct UnreadLine: Encodable {
        var file: String
        var line: Int
        var fields: [String: String]
    }
}

/// A file of JSON Lines that only its owner may read: it has people's data.
private final class LineFile {
    private let handle: FileHandle
    private let encoder = JSONEncoder()
    private var buffer = Data()

    init(_ path: String) throws {
        // A file that is there keeps its permissions when it is replaced; they are set anew.
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        let isMade = FileManager.default.createFile(atPath: path, contents: nil, attributes: attributes)
        guard isMade, let handle = FileHandle(forWritingAtPath: path) else {
            throw CommandFailure(.cannotCreate, "Cannot write \(path).")
        }
        self.handle = handle
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    func add(_ line: some Encodable) throws {
        buffer.append(try encoder.encode(line))
        buffer.append(0x0A)
        if buffer.count >= 1 << 16 { try flush() }
    }

    func close() throws {
        try flush()
        try handle.close()
    }

    private func flush() throws {
        try handle.write(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
