import CarillonImporters
import CarillonOperatorModel
import Foundation

/// What `carillon import onesignal` and its like report.
///
/// `rows` is the sum of `added`, `replaced`, `registered`, `users`, `joined`, and the counts of `leftOut`, `others` and
/// `refused`.
struct SourceReport: Encodable {
    /// A group of rows.
    struct Group: Encodable, Equatable {
        /// The reason, or the platform.
        var name: String
        var count: Int
        /// The first lines, `12`, or `file.csv:12` when there are several files.
        var lines: [String]
        /// For people.
        var text: String
    }

    /// A column that is not read.
    struct Column: Encodable, Equatable {
        var name: String
        var count: Int
    }

    var source: String
    var files: Int
    var isDryRun: Bool
    var rows: Int
    /// New devices.
    var added: Int
    /// Devices of this or an earlier import, which are described again.
    var replaced: Int
    /// Rows whose token an app has registered; they change nothing.
    var registered: Int
    /// How the consents of the rows differ from those of the devices that are there; a dry run alone compares them.
    var consents: ConsentComparison?
    /// Rows with tags or attributes of a user, without a device.
    var users: Int
    /// Rows that are halves of others.
    var joined: Int
    var leftOut: [Group]
    var others: [Group]
    var refused: Group
    var notes: [Group]
    /// Columns that are not read, and how many rows have something in them.
    var unreadColumns: [Column]
    /// Files that end too early or are damaged, and where.
    var damaged: [String]

    /// Whether any row did something, or was left out for a reason that a good import has: seen too long ago, or dead.
    var isGood: Bool {
        let expected = [LeftOut.notSeenSince, .dead].map(\.rawValue)
        return added + replaced + registered + users > 0
            || refused.count == 0 && leftOut.contains { expected.contains($0.name) }
    }

    /// The sum of all groups of rows.
    var sum: Int {
        added + replaced + registered + users + joined + refused.count + leftOut.reduce(0) { $0 + $1.count }
            + others.reduce(0) { $0 + $1.count }
    }

    /// For people.
    var text: String {
        let many = files == 1 ? "1 file" : "\(files) files"
        let amount = rows == 1 ? "1 row" : "\(rows) rows"
        var lines = ["\(source): \(amount) of \(many)\(isDryRun ? "; nothing is written" : "")."]
        func add(_ count: Int, _ text: String, _ where: [String] = []) {
            guard count > 0 else { return }
            let tail =
                `where`.isEmpty ? "" : " (line \(`where`.joined(separator: ", "))\(count > `where`.count ? ", …" : ""))"
            lines.append("\(String(repeating: " ", count: max(0, 12 - "\(count)".count)))\(count)  \(text)\(tail)")
        }
        add(added, "devices added")
        add(replaced, "described again")
        add(registered, "left alone: their app has registered or removed them here")
        add(users, "with only a user's tags and attributes")
        add(joined, "joined with other rows")
        for group in leftOut { add(group.count, "left out: \(group.text)", group.lines) }
        for group in others { add(group.count, "not for Apple's service: \(group.name)", group.lines) }
        add(refused.count, "refused", refused.lines)
        if !notes.isEmpty { lines.append("Of the rows above:") }
        for group in notes { add(group.count, group.text, group.lines) }
        if !unreadColumns.isEmpty {
            let columns = unreadColumns.map { "\($0.name) (\($0.count) \($0.count == 1 ? "row" : "rows"))" }
            let named = columns.joined(separator: ", ")
            lines.append("Columns that are not read: \(named). --unread keeps them in a file.")
        }
        return lines.joined(separator: "\n")
    }

    init(
        source: String,
        files: [SourceFile],
        isDryRun: Bool,
        rowCounts: SourceRowCounts,
        counts: ImportReport,
        unreadColumns: [(name: String, count: Int)],
        damaged: [String]
    ) {
        func group(_ name: String, _ count: SourceCount, _ text: String) -> Group {
            let lines = count.first.map { files.count == 1 ? "\($0.line)" : "\(files[$0.file].name):\($0.line)" }
            return Group(name: name, count: count.count, lines: lines, text: text)
        }
        self.source = source
        self.files = files.count
        self.isDryRun = isDryRun
        rows = rowCounts.rows
        (added, replaced, registered) = (counts.added, counts.replaced, counts.registered)
        consents = counts.consents
        (users, joined) = (counts.users, rowCounts.joined)
        leftOut = LeftOut.allCases.compactMap { reason in
            rowCounts.leftOut[reason].map { group(reason.rawValue, $0, reason.text) }
        }
        others = rowCounts.others.sorted { $0.key < $1.key }.map { group($0.key, $0.value, $0.key) }
        refused = group("refused", rowCounts.refused, "refused")
        notes = ImportNote.allCases.compactMap { note in
            rowCounts.notes[note].map { group(note.rawValue, $0, note.text) }
        }
        self.unreadColumns = unreadColumns.map { Column(name: $0.name, count: $0.count) }
        self.damaged = damaged
    }
}
