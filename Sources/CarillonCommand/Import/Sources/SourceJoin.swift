import CarillonImporters
import CarillonModel
import Foundation

/// Joins rows whose halves are in different files, whatever their number and order.
///
/// The halves lie in files of a folder that only its owner may read and that goes with this object, each in the file that
/// the hash of its key names: one of them at a time is in memory, a 512th of all.
final class SourceJoin {
    /// A row, or the half of one that has no row of its own.
    enum Item: Equatable {
        case row(file: Int, JoinedRow)
        /// Whether a row with tokens has this half.
        case person(SourceLine, isMatched: Bool)
        case refused(SourceLine, String)
    }

    static let bucketCount = 512

    private let folder: URL
    private let maximumHeld: Int
    private var buckets = Array(repeating: Data(), count: bucketCount)
    private var held = 0
    private var hasFiles = false
    private let encoder = JSONEncoder()

    /// - Parameters:
    ///   - folder: Where its own folder is made when it needs one.
    ///   - maximumHeld: How many bytes are in memory while halves are added.
    init(in folder: URL = FileManager.default.temporaryDirectory, maximumHeld: Int = 1 << 24) {
        self.folder = folder.appendingPathComponent("carillon-join-\(UUID().uuidString)", isDirectory: true)
        self.maximumHeld = maximumHeld
    }

    deinit { if hasFiles { try? FileManager.default.removeItem(at: folder) } }

    /// Adds a half; of two persons with one key the first one holds.
    ///
    /// - Throws: When the folder cannot be written.
    func add(_ half: SourceHalf, file: Int) throws {
        let line = SourceLine(file: file, line: half.line).packed
        try add(
            Stored(line: line, key: half.key, isPerson: half.isPerson, members: half.members),
            to: Self.bucket(half.key)
        )
    }

    /// Adds a row that cannot be read, in its order.
    ///
    /// - Throws: When the folder cannot be written.
    func refuse(_ line: SourceLine, _ problem: String) throws {
        try add(Stored(line: line.packed, problem: problem), to: line.line % Self.bucketCount)
    }

    /// The rows of a bucket, in the order of the files.
    ///
    /// - Throws: When the folder cannot be read.
    func items(_ bucket: Int) throws -> [Item] {
        let url = file(bucket)
        var data = buckets[bucket]
        if hasFiles, FileManager.default.fileExists(atPath: url.path) { data = try Data(contentsOf: url) + data }
        let stored = try data.split(separator: 0x0A).map { try JSONDecoder().decode(Stored.self, from: Data($0)) }
        var people: [String: [String: JSONValue]] = [:]
        var matched: Set<String> = []
        for half in stored {
            guard let key = half.key, let members = half.members else { continue }
            if half.isPerson == true {
                if people[key] == nil { people[key] = members }
            } else {
                matched.insert(key)
            }
        }
        return stored.map { half in
            let line = SourceLine(packed: half.line)
            guard let key = half.key, let members = half.members else {
                return .refused(line, half.problem ?? "")
            }
            guard half.isPerson == true else {
                return .row(file: line.file, JoinedRow(line: line.line, members: members, person: people[key]))
            }
            return .person(line, isMatched: matched.contains(key))
        }
    }

    // MARK: - Private

    private struct Stored: Codable {
        var line: Int
        var key: String?
        var isPerson: Bool?
        var members: [String: JSONValue]?
        var problem: String?
    }

    /// FNV-1a, the same in every run, so that an import that is run again takes the rows in the same order.
    private static func bucket(_ key: String) -> Int {
        let hash = key.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int((hash ^ hash >> 32) % UInt64(bucketCount))
    }

    private func file(_ bucket: Int) -> URL { folder.appendingPathComponent("\(bucket)") }

    private func add(_ stored: Stored, to bucket: Int) throws {
        let line = try encoder.encode(stored)
        buckets[bucket].append(line)
        buckets[bucket].append(0x0A)
        held += line.count
        if held >= maximumHeld { try spill() }
    }

    private func spill() throws {
        if !hasFiles {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            hasFiles = true
        }
        for bucket in buckets.indices where !buckets[bucket].isEmpty {
            let url = file(bucket)
            if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
            let handle = try FileHandle(forWritingTo: url)
            defer { try? handle.close() }
            try handle.seekToEnd()
            try handle.write(contentsOf: buckets[bucket])
            buckets[bucket] = Data()
        }
        held = 0
    }
}

/// The rows of a join, a bucket at a time.
struct JoinedRows<Format: SourceFormat> {
    private let join: SourceJoin
    private var format: Format
    private var builder: RecordBuilder
    private var bucket = 0

    init(_ join: SourceJoin, _ format: Format, isSurvey: Bool) {
        self.join = join
        self.format = format
        builder = RecordBuilder(isSurvey: isSurvey)
    }

    /// - Returns: Rows, maybe none; `nil` after the last one.
    mutating func next() throws -> [SourceFate]? {
        guard bucket < SourceJoin.bucketCount else { return nil }
        defer { bucket += 1 }
        var fates: [SourceFate] = []
        for item in try join.items(bucket) {
            switch item {
            case .person(let line, let isMatched):
                let fate: RowFate = isMatched ? .joined : .leftOut(.withoutMatch, line: line.line)
                fates.append(SourceFate(file: line.file, fate: fate, notes: []))
            case .refused(let line, let problem):
                fates.append(SourceFate(file: line.file, fate: .refused(line: line.line, problem), notes: []))
            case .row(let file, let row):
                var read: [RowFate] = []
                builder.beginRow()
                format.read(row, &builder, &read)
                fates += read.map { SourceFate(file: file, fate: $0, notes: builder.notes) }
            }
        }
        return fates
    }
}
