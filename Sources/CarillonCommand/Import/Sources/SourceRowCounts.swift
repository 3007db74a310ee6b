import CarillonImporters

/// A row of an import: its file, by number, and its line.
struct SourceLine: Hashable {
    var file: Int
    var line: Int
}

/// How many rows have one fate, and where the first are.
struct SourceCount: Hashable {
    /// How many lines are listed.
    static let listed = 10

    var count = 0
    var first: [SourceLine] = []

    mutating func add(_ line: SourceLine) {
        count += 1
        if first.count < Self.listed { first.append(line) }
    }
}

/// The counts of an import's rows: all of them together are the rows.
struct SourceRowCounts {
    var rows = 0
    var leftOut: [LeftOut: SourceCount] = [:]
    /// By the platform.
    var others: [String: SourceCount] = [:]
    var refused = SourceCount()
    var notes: [ImportNote: SourceCount] = [:]
    /// Rows that belong to others.
    var joined = 0

    mutating func note(_ notes: Set<ImportNote>, _ line: SourceLine) {
        for note in notes { self.notes[note, default: SourceCount()].add(line) }
    }
}
