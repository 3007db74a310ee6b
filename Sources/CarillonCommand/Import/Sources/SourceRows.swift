import CarillonImporters
import CarillonModel
import CarillonReaders
import Foundation

/// What becomes of a row, with the number of its file.
struct SourceFate {
    var file: Int
    var fate: RowFate
    var notes: Set<ImportNote>
}

/// The rows of an import's files, in their order, some thousands at a time.
struct SourceRows<Format: SourceFormat> {
    /// How many bytes of text are read at once.
    static var partSize: Int { 1 << 17 }
    /// How many compressed bytes are read at once: they may be a thousand times as much text, which is in memory.
    static var compressedPartSize: Int { 1 << 12 }
    /// Of how much text rows are made at once: a row takes more memory than its text.
    static var textSize: Int { 1 << 18 }

    private let files: [SourceFile]
    private let isSurvey: Bool
    private let keepsUnread: Bool
    /// The format, which has seen the rows so far.
    private(set) var format: Format
    /// The files that end too early or are damaged, for people.
    private(set) var damaged: [String] = []
    /// How many rows have something in each column that is not read, by its name.
    private(set) var unreadColumns: [(name: String, count: Int)] = []

    private var number = -1
    private var handle: FileHandle?
    private var reader: SourceReader<Format>
    private var part = Data()

    /// - Parameters:
    ///   - files: The files.
    ///   - format: The format.
    ///   - isSurvey: Whether records need only what tells which row of a token holds.
    ///   - keepsUnread: Whether the fields of columns that are not read are kept for ``takeUnread()``.
    init(_ files: [SourceFile], _ format: Format, isSurvey: Bool, keepsUnread: Bool = false) {
        self.files = files
        self.format = format
        self.isSurvey = isSurvey
        self.keepsUnread = keepsUnread
        reader = SourceReader(format)
    }

    /// Reads on.
    ///
    /// - Returns: Rows, maybe none; `nil` after the last one.
    /// - Throws: `CommandFailure` when a file cannot be read, or cannot be the service's.
    mutating func next() throws -> [SourceFate]? {
        guard let handle else { return try open() ? [] : nil }
        var fates: [SourceFate] = []
        let number = number
        func add(_ fate: RowFate, _ notes: Set<ImportNote>) {
            fates.append(SourceFate(file: number, fate: fate, notes: notes))
        }
        let name = files[number].name
        do {
            if reader.hasMoreText {
                try reader.readMore(upTo: Self.textSize, add)
                return fates
            }
            if let damage { throw damage }
            if part.isEmpty { part = try handle.read(upToCount: Self.partSize) ?? Data() }
            guard !part.isEmpty else {
                try reader.finish(add)
                if reader.lostLineCount > 0 {
                    damaged.append(
                        "\(name): \(reader.lostLineCount) lines are lost after a quote that is not closed. Mend it and import "
                            + "the file again."
                    )
                }
                close()
                return fates
            }
            let some = takeSome()
            try some.withUnsafeBytes { try reader.read($0.bindMemory(to: UInt8.self), upTo: Self.textSize, add) }
            return fates
        } catch let damage as GzipReader.Damage {
            self.damage = damage
            // The rows before it are read first.
            if reader.hasMoreText { return fates }
            damaged.append(damage.text(name, afterLine: reader.lastLine))
            close()
            return fates
        } catch let problem as SourceProblem {
            throw CommandFailure(.data, "\(name) \(problem).")
        } catch let objection as TextInput.Objection {
            throw CommandFailure(.data, "\(name) cannot be read: \(objection).")
        }
    }

    /// The fields of columns that are not read, of the rows since the last call.
    mutating func takeUnread() -> [(file: Int, row: UnreadRow)] {
        reader.takeUnread().map { (max(0, number), $0) }
    }

    // MARK: - Private

    private var isAtStart = true
    /// Where the open file cannot be decompressed further.
    private var damage: GzipReader.Damage?

    /// Takes the bytes that are read next.
    private mutating func takeSome() -> Data {
        // The first bytes tell whether the file is compressed.
        let size = reader.isCompressed || isAtStart ? Self.compressedPartSize : part.count
        isAtStart = false
        defer { part = part.dropFirst(size) }
        return part.prefix(size)
    }

    /// Opens the next file.
    ///
    /// - Returns: Whether there is one.
    private mutating func open() throws -> Bool {
        guard number + 1 < files.count else { return false }
        number += 1
        handle = try files[number].open()
        reader = SourceReader(format, isSurvey: isSurvey, keepsUnread: keepsUnread)
        (part, isAtStart, damage) = (Data(), true, nil)
        return true
    }

    private mutating func close() {
        try? handle?.close()
        handle = nil
        format = reader.format
        for (name, count) in zip(reader.unread.names, reader.unread.counts) {
            if let index = unreadColumns.firstIndex(where: { $0.name == name }) {
                unreadColumns[index].count += count
            } else {
                unreadColumns.append((name, count))
            }
        }
    }
}

extension GzipReader.Damage {
    /// For people: where it is, that the rows before it count, and what to do.
    fileprivate func text(_ name: String, afterLine line: Int) -> String {
        let place = line == 0 ? "before the first row" : "after line \(line)"
        let rest = "The rows before it are read; fetch the file again, and import all of them once more."
        return switch self {
        case .cutOff: "\(name) ends too early: the gzip data are cut off \(place). \(rest)"
        case .corrupt: "\(name) is damaged: the gzip data are wrong \(place). \(rest)"
        }
    }
}
