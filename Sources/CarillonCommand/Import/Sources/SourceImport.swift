import CarillonEngine
import CarillonImporters
import CarillonModel
import CarillonOperatorModel
import Foundation

/// An import of one service's files.
///
/// It reads them twice. The first time it finds out which row of each token holds, and whether all files can be read at
/// all: nothing is written before that is known. The second time it writes. Whoever runs it again writes the same.
struct SourceImport<Format: SourceFormat> {
    let files: [SourceFile]
    let options: SourceOptions
    let isDryRun: Bool
    let side: SourceSideFiles

    private var losers = TokenIndex.Losers()
    private var surveyed: Format
    private var unreadColumns: [String] = []
    private var damaged: [String] = []
    private let rowCounts = RowCountsBox()

    init(files: [SourceFile], options: SourceOptions, isDryRun: Bool, side: SourceSideFiles) {
        self.files = files
        self.options = options
        self.isDryRun = isDryRun
        self.side = side
        surveyed = Format(options)
    }

    /// Receives rows that the target refuses.
    var reject: (SourceLine, String) -> Void {
        { [rowCounts, side, files] line, problem in
            rowCounts.value.refused.add(line)
            side.reject(files[line.file], line, problem)
        }
    }

    /// Reads the files for the first time.
    ///
    /// - Throws: `CommandFailure` when they cannot be imported.
    mutating func survey() throws {
        var index = TokenIndex()
        var ordinal = 0
        for file in files {
            var reader = SourceReader(surveyed, isSurvey: true)
            let damage = try Self.read(file, &reader) { fates in
                for (fate, _) in fates {
                    guard ordinal < TokenIndex.maximumRowCount else {
                        throw CommandFailure(.data, "An import has at most \(TokenIndex.maximumRowCount) rows.")
                    }
                    try add(fate, ordinal, to: &index)
                    ordinal += 1
                }
            }
            if let damage { damaged.append(damage) }
            surveyed = reader.format
            for column in reader.unreadColumns where !unreadColumns.contains(column) { unreadColumns.append(column) }
        }
        if let objection = surveyed.objection() {
            throw CommandFailure(.data, "The import \(objection).")
        }
        losers = try index.finish()
    }

    /// Reads the files for the second time, into a target.
    ///
    /// - Returns: The report; files that are damaged are in it, and what is before the damage is imported.
    /// - Throws: Errors of the target; what was saved before stays.
    func write(to target: any SourceTarget) async throws -> SourceReport {
        let counts: ImportReport
        do {
            var ordinal = 0
            var format = surveyed
            for (number, file) in files.enumerated() {
                var reader = SourceReader(format)
                let handle = try file.open()
                defer { try? handle.close() }
                var isOpen = true
                while isOpen {
                    var fates: [(RowFate, Set<ImportNote>)] = []
                    isOpen = try Self.readPart(of: handle, file, &reader, &fates) == nil
                    for (fate, notes) in fates {
                        try await take(fate, notes, number, ordinal, target)
                        ordinal += 1
                    }
                }
                format = reader.format
            }
            counts = try await target.finish()
            if target.refusedUserCount > 0 {
                rowCounts.value.notes[.attributeExcess, default: SourceCount()].count += target.refusedUserCount
            }
        } catch {
            try await target.abandon()
            throw error
        }
        try side.close()
        return SourceReport(
            source: Format.title,
            files: files,
            isDryRun: isDryRun,
            rowCounts: rowCounts.value,
            counts: counts,
            unreadColumns: unreadColumns,
            damaged: damaged
        )
    }

    // MARK: - Private

    private func isPassedOver(_ record: ImportRecord) -> Bool {
        guard let since = options.activeSince, let seenAt = record.seenAt else { return false }
        return seenAt < since
    }

    private func add(_ fate: RowFate, _ ordinal: Int, to index: inout TokenIndex) throws {
        switch fate {
        case .device(let record):
            guard let token = record.registration.token, !isPassedOver(record) else { return }
            try index.add(ordinal, token, record.isActive ? .active : .inactive, seenAt: record.seenAt)
        case .dead(let record):
            guard let token = record.registration.token else { return }
            try index.add(ordinal, token, .active, seenAt: record.seenAt, isDead: true)
        case .user, .other, .leftOut, .refused, .joined: break
        }
    }

    private func take(
        _ fate: RowFate,
        _ notes: Set<ImportNote>,
        _ file: Int,
        _ ordinal: Int,
        _ target: any SourceTarget
    ) async throws {
        rowCounts.value.rows += 1
        func leaveOut(_ reason: LeftOut, _ line: Int) {
            rowCounts.value.leftOut[reason, default: SourceCount()].add(SourceLine(file: file, line: line))
        }
        switch fate {
        case .device(let record):
            if isPassedOver(record) { return leaveOut(.notSeenSince, record.line) }
            if losers.dead.contains(ordinal) { return leaveOut(.dead, record.line) }
            if losers.duplicates.contains(ordinal) { return leaveOut(.duplicate, record.line) }
            let line = SourceLine(file: file, line: record.line)
            rowCounts.value.note(notes, line)
            try await target.append(record, at: line)
        case .user(let record):
            let line = SourceLine(file: file, line: record.line)
            rowCounts.value.note(notes, line)
            try await target.append(record, at: line)
        case .other(let device):
            let line = SourceLine(file: file, line: device.record.line)
            rowCounts.value.others[device.platform, default: SourceCount()].add(line)
            try side.keep(device)
        case .leftOut(let reason, let line): leaveOut(reason, line)
        case .dead(let record): leaveOut(.dead, record.line)
        case .refused(let line, let problem): reject(SourceLine(file: file, line: line), problem)
        case .joined: rowCounts.value.joined += 1
        }
    }

    /// Reads a file to its end or its damage.
    ///
    /// - Returns: The damage, for people.
    private static func read(
        _ file: SourceFile,
        _ reader: inout SourceReader<Format>,
        _ body: ([(RowFate, Set<ImportNote>)]) throws -> Void
    ) throws -> String? {
        let handle = try file.open()
        defer { try? handle.close() }
        while true {
            var fates: [(RowFate, Set<ImportNote>)] = []
            let end = try readPart(of: handle, file, &reader, &fates)
            try body(fates)
            if let end { return end.damage }
        }
    }

    /// Reads a part of a file.
    ///
    /// - Returns: `nil` while more may follow; otherwise whether the file is damaged.
    private static func readPart(
        of handle: FileHandle,
        _ file: SourceFile,
        _ reader: inout SourceReader<Format>,
        _ fates: inout [(RowFate, Set<ImportNote>)]
    ) throws -> (isAtEnd: Bool, damage: String?)? {
        do {
            guard let part = try handle.read(upToCount: SourceFile.partSize), !part.isEmpty else {
                try reader.finish { fates.append(($0, $1)) }
                return (true, nil)
            }
            try part.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                try reader.read(bytes.bindMemory(to: UInt8.self)) { fates.append(($0, $1)) }
            }
            return nil
        } catch let damage as GzipReader.Damage {
            return (true, damage.text(file.name, afterLine: reader.lastLine))
        } catch let problem as SourceProblem {
            throw CommandFailure(.data, "\(file.name) \(problem).")
        } catch let objection as TextInput.Objection {
            throw CommandFailure(.data, "\(file.name) cannot be read: \(objection).")
        }
    }
}

/// Counts that closures of one import share; it runs in one task.
private final class RowCountsBox {
    var value = SourceRowCounts()
}

extension GzipReader.Damage {
    /// For people: where it is, and that the rows before it count.
    fileprivate func text(_ name: String, afterLine line: Int) -> String {
        switch self {
        case .cutOff:
            "\(name) ends too early: the gzip data are cut off after line \(line). The rows before it are read."
        case .corrupt: "\(name) is damaged: the gzip data are wrong after line \(line). The rows before it are read."
        }
    }
}
