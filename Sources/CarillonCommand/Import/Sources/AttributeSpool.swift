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

    private let folder: URL
    private let maximumByteCount: Int
    private var buffer: [UInt8] = []
    private var entries: [Entry] = []
    private var runs: [URL] = []

    /// - Parameters:
    ///   - folder: Where its own folder is made when it needs one.
    ///   - maximumByteCount: How many bytes of records are in memory.
    init(in folder: URL = FileManager.default.temporaryDirectory, maximumByteCount: Int = 1 << 24) {
        self.folder = folder.appendingPathComponent("carillon-attributes-\(UUID().uuidString)", isDirectory: true)
        self.maximumByteCount = maximumByteCount
    }

    deinit { if !runs.isEmpty { try? FileManager.default.removeItem(at: folder) } }

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
        var sources = runs.isEmpty ? [AttributeRun(sorted())] : try runs.map { try AttributeRun($0) }
        var batch: [UserID: UserAttributes] = [:]
        var last: UserID?
        while let next = try Self.next(of: &sources) {
            if batch.count >= count, next.user != last {
                try await body(batch)
                batch.removeAll(keepingCapacity: true)
            }
            last = next.user
            batch[next.user, default: UserAttributes(attributes: [:])].attributes.merge(next.attributes) { $1 }
        }
        if !batch.isEmpty { try await body(batch) }
    }

    // MARK: - Private

    /// The record of the lowest id; of equal ones that of the first run, which came first.
    private static func next(
        of sources: inout [AttributeRun]
    ) throws -> (user: UserID, attributes: [String: JSONValue])? {
        var lowest: Int?
        for index in sources.indices {
            guard let head = sources[index].head else { continue }
            guard let best = lowest, let known = sources[best].head else {
                lowest = index
                continue
            }
            if AttributeRecord.isLower(head, known) { lowest = index }
        }
        guard let lowest, let head = sources[lowest].head else { return nil }
        let record = try AttributeRecord.read(head.bytes)
        try sources[lowest].advance()
        return record
    }

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
            let record = buffer[entries[index].start..<entries[index].end]
            withUnsafeBytes(of: UInt32(record.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: record)
        }
        return bytes
    }

    private mutating func spill() throws {
        guard !entries.isEmpty else { return }
        if runs.isEmpty {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        let file = folder.appendingPathComponent("\(runs.count)")
        runs.append(file)
        try Data(sorted()).write(to: file)
        buffer.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }
}

/// Sorted records, from memory or from a file that is read part by part.
private struct AttributeRun {
    /// A record that is next.
    struct Head {
        var prefix: UInt64
        var bytes: ArraySlice<UInt8>
    }

    private static let partSize = 1 << 16

    private let file: FileHandle?
    private var bytes: [UInt8]
    private var position = 0
    private(set) var head: Head?

    init(_ bytes: [UInt8]) {
        file = nil
        self.bytes = bytes
        try? advance()
    }

    init(_ url: URL) throws {
        file = try FileHandle(forReadingFrom: url)
        bytes = []
        try advance()
    }

    /// Goes on to the next record.
    mutating func advance() throws {
        head = nil
        guard try has(4) else {
            try file?.close()
            return
        }
        let count = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
        guard try has(4 + count) else { throw CocoaError(.fileReadCorruptFile) }
        let record = bytes[(position + 4)..<(position + 4 + count)]
        position += 4 + count
        head = Head(prefix: AttributeRecord.prefix(of: AttributeRecord.id(record)), bytes: record)
    }

    /// Reads on until there are so many bytes; false when there are no more.
    private mutating func has(_ count: Int) throws -> Bool {
        while bytes.count - position < count {
            guard let part = try file?.read(upToCount: max(Self.partSize, count)), !part.isEmpty else { return false }
            bytes.removeSubrange(..<position)
            position = 0
            bytes.append(contentsOf: part)
        }
        return true
    }
}

/// The bytes of a record: the length of the User's id, the id, and its attributes as names, kinds and values.
private enum AttributeRecord {
    private enum Kind: UInt8 { case text, whole, number, no, yes, null }

    static func append(_ user: UserID, _ attributes: [String: JSONValue], to bytes: inout [UInt8]) {
        append(user.rawValue, to: &bytes)
        for (name, value) in attributes {
            append(name, to: &bytes)
            switch value {
            case .string(let text):
                bytes.append(Kind.text.rawValue)
                append(text, to: &bytes)
            case .integer(let whole): append(.whole, UInt64(bitPattern: whole), to: &bytes)
            case .number(let number): append(.number, number.bitPattern, to: &bytes)
            case .bool(let flag): bytes.append((flag ? Kind.yes : .no).rawValue)
            // Only null is left of what an attribute may be in a change.
            case .null, .array, .object: bytes.append(Kind.null.rawValue)
            }
        }
    }

    static func read(_ record: ArraySlice<UInt8>) throws -> (user: UserID, attributes: [String: JSONValue]) {
        var rest = record
        guard let user = UserID(rawValue: try text(&rest)) else { throw CocoaError(.fileReadCorruptFile) }
        var attributes: [String: JSONValue] = [:]
        while !rest.isEmpty {
            let name = try text(&rest)
            guard let kind = rest.popFirst().flatMap(Kind.init) else { throw CocoaError(.fileReadCorruptFile) }
            switch kind {
            case .text: attributes[name] = .string(try text(&rest))
            case .whole: attributes[name] = .integer(Int64(bitPattern: try word(&rest)))
            case .number: attributes[name] = .number(Double(bitPattern: try word(&rest)))
            case .no, .yes: attributes[name] = .bool(kind == .yes)
            case .null: attributes[name] = .null
            }
        }
        return (user, attributes)
    }

    /// The bytes of the User's id.
    static func id(_ record: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = record.startIndex
        let count = Int(record[start]) | Int(record[start + 1]) << 8
        return record[(start + 2)..<(start + 2 + count)]
    }

    static func prefix(of user: UserID) -> UInt64 { prefix(of: user.rawValue.utf8) }

    static func prefix(of id: some Sequence<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        var count = 0
        for byte in id.prefix(8) {
            prefix = prefix << 8 | UInt64(byte)
            count += 1
        }
        return count == 8 ? prefix : prefix << UInt64(8 * (8 - count))
    }

    static func isLower(_ left: AttributeRun.Head, _ right: AttributeRun.Head) -> Bool {
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return id(left.bytes).lexicographicallyPrecedes(id(right.bytes))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        // An id has at most 512 bytes, a value 1,024.
        let count = text.utf8.count
        bytes.append(UInt8(truncatingIfNeeded: count))
        bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ kind: Kind, _ word: UInt64, to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) throws -> String {
        guard rest.count >= 2 else { throw CocoaError(.fileReadCorruptFile) }
        let count = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
        guard rest.count >= 2 + count else { throw CocoaError(.fileReadCorruptFile) }
        let text = rest[(rest.startIndex + 2)..<(rest.startIndex + 2 + count)]
        rest = rest.dropFirst(2 + count)
        return String(decoding: text, as: UTF8.self)
    }

    private static func word(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        guard rest.count >= 8 else { throw CocoaError(.fileReadCorruptFile) }
        let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(rest[rest.startIndex + $1]) << UInt64(8 * $1) }
        rest = rest.dropFirst(8)
        return word
    }
}
