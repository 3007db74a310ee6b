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
    private var damaged: [String] = []
    private var rowCount = 0
    private var join: SourceJoin?
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
            side.reject(line, of: files, problem)
        }
    }

    /// Reads the files for the first time.
    ///
    /// - Throws: `CommandFailure` when they cannot be imported.
    mutating func survey() throws {
        if Format.joins { try joinHalves() }
        var index = TokenIndex()
        var rows = openRows(isSurvey: true)
        while let fates = try rows.next() {
            for fate in fates {
                guard rowCount < TokenIndex.maximumRowCount else {
                    throw CommandFailure(.data, "An import has at most \(TokenIndex.maximumRowCount) rows.")
                }
                try add(fate.fate, rowCount, to: &index)
                rowCount += 1
            }
        }
        if case .files(let read) = rows { (damaged, surveyed) = (read.damaged, read.format) }
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
        try side.open()
        let counts: ImportReport
        let rows = RowsAhead(openRows(isSurvey: false))
        do {
            var ordinal = 0
            while let part = try await rows.next() {
                for fate in part.fates {
                    try await take(fate, ordinal, target)
                    ordinal += 1
                }
                for (file, row) in part.unread { try side.keep(row, of: files[file].name) }
            }
            guard ordinal == rowCount else { throw filesChanged(ordinal) }
            counts = try await target.finish()
        } catch {
            await rows.stop()
            try await target.abandon()
            throw error
        }
        if target.refusedUserCount > 0 {
            rowCounts.value.notes[.attributeExcess, default: SourceCount()].count += target.refusedUserCount
        }
        rowCounts.value.refused.count += target.unlistedRefusalCount
        try side.close()
        return SourceReport(
            source: Format.title,
            files: files,
            isDryRun: isDryRun,
            rowCounts: rowCounts.value,
            counts: counts,
            unreadColumns: rows.unreadColumns,
            damaged: damaged
        )
    }

    // MARK: - Private

    /// The rows of the files, or of their join.
    private enum Rows {
        case files(SourceRows<Format>)
        case join(JoinedRows<Format>)
        /// While they are read: nothing else may hold them then, or they would be copied.
        case moved

        mutating func next() throws -> [SourceFate]? {
            let rows = self
            self = .moved
            switch consume rows {
            case .files(var rows):
                defer { self = .files(rows) }
                return try rows.next()
            case .join(var rows):
                defer { self = .join(rows) }
                return try rows.next()
            case .moved: return nil
            }
        }

        mutating func takeUnread() -> [(file: Int, row: UnreadRow)] {
            guard case .files(var rows) = self else { return [] }
            defer { self = .files(rows) }
            return rows.takeUnread()
        }

        var unreadColumns: [(name: String, count: Int)] {
            if case .files(let rows) = self { rows.unreadColumns } else { [] }
        }
    }

    /// Reads rows in a task of its own, one part ahead of who takes them, from the first one that is taken.
    ///
    /// One task at a time has the rows: the next one begins when the one before has ended.
    private final class RowsAhead: @unchecked Sendable {
        struct Part: Sendable {
            var fates: [SourceFate]
            var unread: [(file: Int, row: UnreadRow)]
        }

        private var rows: Rows
        private var reading: Task<Part?, any Error>?
        private var hasEnded = false

        init(_ rows: Rows) { self.rows = rows }

        /// Returns the next part; `nil` after the last one.
        func next() async throws -> Part? {
            guard !hasEnded else { return nil }
            let first = reading ?? Task { try self.read() }
            reading = first
            guard let part = try await first.value else {
                await stop()
                return nil
            }
            reading = Task { try self.read() }
            return part
        }

        /// Waits until nothing is read any more.
        func stop() async {
            hasEnded = true
            _ = await reading?.result
            reading = nil
        }

        /// The columns that are not read, once all rows are taken.
        var unreadColumns: [(name: String, count: Int)] { rows.unreadColumns }

        private func read() throws -> Part? {
            guard let fates = try rows.next() else { return nil }
            return Part(fates: fates, unread: rows.takeUnread())
        }
    }

    private func openRows(isSurvey: Bool) -> Rows {
        if let join { return .join(JoinedRows(join, surveyed, isSurvey: isSurvey)) }
        return .files(SourceRows(files, surveyed, isSurvey: isSurvey, keepsUnread: !isSurvey && side.keepsUnread))
    }

    /// Reads the halves of rows, before anything else can be known of them.
    private mutating func joinHalves() throws {
        let join = SourceJoin()
        var rows = SourceRows(files, surveyed, isSurvey: true)
        while let fates = try rows.next() {
            for fate in fates {
                switch fate.fate {
                case .half(let half): try join.add(half, file: fate.file)
                case .refused(let line, let problem):
                    try join.refuse(SourceLine(file: fate.file, line: line), problem)
                case .device, .user, .other, .leftOut, .dead, .joined, .claim: break
                }
            }
        }
        damaged = rows.damaged
        self.join = join
    }

    /// Rows are known by their numbers, which mean other rows now.
    private func filesChanged(_ count: Int) -> CommandFailure {
        CommandFailure(
            .data,
            "The files changed while they were read: they had \(rowCount) rows, and now \(count). Import them again."
        )
    }

    private func isPassedOver(_ seenAt: Timestamp?) -> Bool {
        guard let since = options.activeSince, let seenAt else { return false }
        return seenAt < since
    }

    private func add(_ fate: RowFate, _ ordinal: Int, to index: inout TokenIndex) throws {
        guard let claim = fate.tokenClaim, claim.isDead || !isPassedOver(claim.seenAt) else { return }
        try index.add(
            ordinal,
            claim.token,
            claim.isActive ? .active : .inactive,
            seenAt: claim.seenAt,
            consents: claim.consents,
            isDead: claim.isDead
        )
    }

    private func take(_ row: SourceFate, _ ordinal: Int, _ target: any SourceTarget) async throws {
        let (file, notes) = (row.file, row.notes)
        rowCounts.value.rows += 1
        func leaveOut(_ reason: LeftOut, _ line: Int) {
            rowCounts.value.leftOut[reason, default: SourceCount()].add(SourceLine(file: file, line: line))
        }
        switch row.fate {
        case .device(let record):
            if isPassedOver(record.seenAt) { return leaveOut(.notSeenSince, record.line) }
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
        case .half(let half): leaveOut(.withoutMatch, half.line)
        // The first reading alone has them.
        case .claim: break
        }
    }
}

/// Counts that closures of one import share; it runs in one task.
private final class RowCountsBox {
    var value = SourceRowCounts()
}
