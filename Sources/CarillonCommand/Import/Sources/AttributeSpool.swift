import CarillonModel
import Foundation

/// Attributes of Users that wait until all Devices of an import are written, and come back in the order of the Users.
///
/// The store's table of attributes has that order: written so, each of its pages is written once, where the order of a
/// file would write nearly all of them again for every window. What does not fit into memory is in sorted files of a
/// folder that only its owner may read, and that goes with this value.
struct AttributeSpool: ~Copyable {
    /// A record in the buffer: the length of the User's id, the id, and its attributes.
    private struct Entry {
        /// The id's first eight bytes, which decide most comparisons.
        var prefix: UInt64
        var start: Int
        var end: Int
    }

    /// A sorted file.
    private struct Run {
        var file: URL
        /// How often its records were merged.
        var level: Int
    }

    private let folder: URL
    private let maximumByteCount: Int
    private let width: Int
    private var buffer: [UInt8] = []
    private var entries: [Entry] = []
    /// In the order of the import; of each level fewer than ``width``, so that all of them can be open at once.
    private var runs: [Run] = []
    private var fileCount = 0

    /// - Parameters:
    ///   - folder: Where its own folder is made when it needs one.
    ///   - maximumByteCount: How many bytes of records are in memory.
    ///   - width: How many files are merged into one: each is open and has a part in memory then.
    init(
        in folder: URL = FileManager.default.temporaryDirectory,
        maximumByteCount: Int = 1 << 24,
        width: Int = 64
    ) {
        self.width = width
        self.folder = folder.appendingPathComponent("carillon-attributes-\(UUID().uuidString)", isDirectory: true)
        self.maximumByteCount = maximumByteCount
    }

    deinit { if fileCount > 0 { try? FileManager.default.removeItem(at: folder) } }

    /// Adds attributes of a User; for one name, the later call holds.
    ///
    /// - Throws: When the folder cannot be written.
    mutating func add(_ attributes: [String: JSONValue], of user: UserID) throws {
        guard !attributes.isEmpty else { return }
        let start = buffer.count
        AttributeRecord.append(user, attributes, to: &buffer)
        entries.append(Entry(prefix: AttributeRecord.prefix(of: user), start: start, end: buffer.count))
        if buffer.count >= maximumByteCount { try spill() }
    }

    /// Calls a closure with all Users in the order of their ids, some thousands at a time.
    ///
    /// - Parameters:
    ///   - count: How many Users at most.
    ///   - body: Receives their attributes, each User once.
    /// - Throws: When the folder cannot be read, and errors of `body`.
    consuming func batches(
        of count: Int,
        _ body: ([UserID: UserAttributes]) async throws -> Void
    ) async throws {
        if !runs.isEmpty { try spill() }
        var merge = AttributeMerge(
            try runs.isEmpty ? [AttributeRun(sorted())] : runs.map { try AttributeRun($0.file) }
        )
        var batch: [UserID: UserAttributes] = [:]
        var last: UserID?
        while let next = try merge.next() {
            // A User's records follow each other.
            if next.user == last {
                batch[next.user]?.attributes.merge(next.attributes) { $1 }
                continue
            }
            if batch.count >= count {
                try await body(batch)
                batch.removeAll(keepingCapacity: true)
            }
            last = next.user
            batch[next.user] = UserAttributes(attributes: next.attributes)
        }
        if !batch.isEmpty { try await body(batch) }
    }

    // MARK: - Private

    /// The records of the buffer in the order of their Users.
    private func sorted() -> [UInt8] {
        let order = entries.indices.sorted { left, right in
            let (first, second) = (entries[left], entries[right])
            if first.prefix != second.prefix { return first.prefix < second.prefix }
            let ids = (
                AttributeRecord.id(buffer[first.start..<first.end]),
                AttributeRecord.id(buffer[second.start..<second.end])
            )
            if ids.0.elementsEqual(ids.1) { return left < right }
            return ids.0.lexicographicallyPrecedes(ids.1)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(buffer.count + entries.count * 4)
        for index in order {
            AttributeRun.append(buffer[entries[index].start..<entries[index].end], to: &bytes)
        }
        return bytes
    }

    private mutating func spill() throws {
        guard !entries.isEmpty else { return }
        if fileCount == 0 {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        let file = nextFile()
        try Data(sorted()).write(to: file)
        runs.append(Run(file: file, level: 0))
        buffer.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        while let level = runs.last?.level, runs.reversed().prefix(while: { $0.level == level }).count >= width {
            try mergeLast(level)
        }
    }

    /// Merges the last files, which have the same level, into one of the next.
    ///
    /// They follow each other in the import, so that of equal ids the earlier ones stay first.
    private mutating func mergeLast(_ level: Int) throws {
        let some = runs.suffix(runs.reversed().prefix { $0.level == level }.count)
        let file = nextFile()
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let output = try FileHandle(forWritingTo: file)
        var merge = AttributeMerge(try some.map { try AttributeRun($0.file) })
        var bytes: [UInt8] = []
        while let record = try merge.nextBytes() {
            AttributeRun.append(record, to: &bytes)
            if bytes.count >= 1 << 20 {
                try output.write(contentsOf: bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try output.write(contentsOf: bytes)
        try output.close()
        runs.removeLast(some.count)
        runs.append(Run(file: file, level: level + 1))
        for run in some { try FileManager.default.removeItem(at: run.file) }
    }

    private mutating func nextFile() -> URL {
        defer { fileCount += 1 }
        return folder.appendingPathComponent("\(fileCount)")
    }
}
