import CarillonModel
import Foundation

/// Finds out which row of each token holds, whatever the number of rows: the newest one that the service uses; of rows
/// with one date one without consent, so that no consent is made of a doubt.
///
/// It has a seeded hash of each token, never the token, in a folder of its own once there are many: 16 bytes a row.
struct TokenIndex: ~Copyable {
    /// What a row says of its token.
    enum Standing: UInt64 {
        case inactive = 0
        case active = 1
    }

    /// The rows that do not hold.
    struct Losers {
        /// Rows whose token another row has.
        var duplicates = RowSet()
        /// Rows whose token the service has found dead.
        var dead = RowSet()
    }

    /// Bits of a row's number, and of its time in seconds.
    private static let ordinalBits: UInt64 = 31
    private static let timeBits: UInt64 = 31
    /// Maximum number of rows.
    static let maximumRowCount = 1 << ordinalBits
    private static let bucketCount = 64

    private let folder: URL
    private let maximumHeld: Int
    private var buckets = Array(repeating: [UInt64](), count: Self.bucketCount)
    private var held = 0
    private var hasFiles = false
    /// Ordinals of invalid tokens; the service lists a hundred a page.
    private var deadRows = RowSet()

    /// - Parameters:
    ///   - folder: Where its folder is made when it needs one; removed at the end.
    ///   - maximumHeld: How many rows are in memory.
    init(in folder: URL = FileManager.default.temporaryDirectory, maximumHeld: Int = 1 << 20) {
        self.folder = folder.appendingPathComponent("carillon-import-\(UUID().uuidString)", isDirectory: true)
        self.maximumHeld = maximumHeld
    }

    deinit { if hasFiles { try? FileManager.default.removeItem(at: folder) } }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - ordinal: Its number, from 0; later ones hold among equals in everything else.
    ///   - token: The token.
    ///   - standing: Whether the service uses it; an active row holds before an inactive one.
    ///   - seenAt: Its date; a row without one yields to those with one.
    ///   - consents: Whether its person consents to notifications; among rows with one date the others hold.
    ///   - isDead: Whether the row says that the token is dead.
    /// - Throws: When the folder cannot be written.
    mutating func add(
        _ ordinal: Int,
        _ token: DeviceToken,
        _ standing: Standing,
        seenAt: Timestamp?,
        consents: Bool = true,
        isDead: Bool = false
    ) throws {
        var hasher = Hasher()
        token.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        let key = UInt64(bitPattern: Int64(hasher.finalize()))
        let seconds = UInt64(clamping: (seenAt?.rawValue ?? 0) / 1_000)
        let time = min(seconds, 1 << Self.timeBits - 1)
        let rank = (standing.rawValue << Self.timeBits | time) << 1 | (consents ? 0 : 1)
        let value = rank << Self.ordinalBits | UInt64(ordinal)
        if isDead { deadRows.insert(ordinal) }
        let bucket = Int(key >> 58)
        buckets[bucket].append(key)
        buckets[bucket].append(value)
        held += 1
        if held >= maximumHeld { try spill() }
    }

    /// Finds the rows that do not hold.
    ///
    /// - Throws: When the folder cannot be read.
    consuming func finish() throws -> Losers {
        if hasFiles { try spill() }
        var losers = Losers()
        for bucket in 0..<Self.bucketCount {
            let words = hasFiles ? try Self.words(of: file(bucket)) : buckets[bucket]
            buckets[bucket] = []
            resolve(words, &losers)
        }
        return losers
    }

    // MARK: - Private

    private func resolve(_ words: [UInt64], _ losers: inout Losers) {
        var entries = stride(from: 0, to: words.count - 1, by: 2).map { (key: words[$0], value: words[$0 + 1]) }
        entries.sort { $0.key != $1.key ? $0.key < $1.key : $0.value < $1.value }
        let mask = UInt64(Self.maximumRowCount - 1)
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].key == entries[start].key { end += 1 }
            let isDead = deadRows.contains(Int(entries[end - 1].value & mask))
            for entry in entries[start..<(end - 1)] {
                let ordinal = Int(entry.value & mask)
                if isDead { losers.dead.insert(ordinal) } else { losers.duplicates.insert(ordinal) }
            }
            start = end
        }
    }

    private func file(_ bucket: Int) -> URL { folder.appendingPathComponent("\(bucket)") }

    private mutating func spill() throws {
        if !hasFiles {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            hasFiles = true
        }
        for bucket in buckets.indices where !buckets[bucket].isEmpty {
            let path = file(bucket).path
            let isThere = FileManager.default.fileExists(atPath: path)
            guard isThere || FileManager.default.createFile(atPath: path, contents: nil) else {
                throw CommandFailure(.cannotCreate, "Cannot write \(path).")
            }
            let handle = try FileHandle(forWritingTo: file(bucket))
            defer { try? handle.close() }
            try handle.seekToEnd()
            try handle.write(contentsOf: buckets[bucket].withUnsafeBytes { Data($0) })
            buckets[bucket].removeAll(keepingCapacity: true)
        }
        held = 0
    }

    private static func words(of file: URL) throws -> [UInt64] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let data = try Data(contentsOf: file)
        return data.withUnsafeBytes { bytes in
            (0..<(bytes.count / 8)).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
        }
    }
}

/// Numbers of rows, a bit each.
struct RowSet {
    private var words: [UInt64] = []

    mutating func insert(_ row: Int) {
        let word = row >> 6
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word - words.count + 1)) }
        words[word] |= 1 << UInt64(row & 63)
    }

    func contains(_ row: Int) -> Bool {
        let word = row >> 6
        return word < words.count && words[word] & (1 << UInt64(row & 63)) != 0
    }
}
