/// A text table, printed at once or page by page.
struct TextTable {
    private let titles: [String]
    private var rows: [[String]] = []
    private var widths: [Int]
    private var hasTitles = true

    init(_ titles: String...) { self.init(titles) }

    init(_ titles: [String]) {
        self.titles = titles
        widths = titles.map(Self.width)
    }

    /// Adds a row with a cell per column; control characters are escaped.
    mutating func add(_ cells: String?...) { add(cells) }

    /// Adds a row with a cell per column; control characters are escaped.
    mutating func add(_ cells: [String?]) {
        let row = cells.map { Terminal.escaped($0 ?? "") }
        for column in row.indices where column < widths.count {
            widths[column] = max(widths[column], Self.width(row[column]))
        }
        rows.append(row)
    }

    /// The lines, titles first, without trailing blanks.
    var lines: [String] { (hasTitles ? [titles] : []).map(line) + rows.map(line) }

    func print() {
        var titled = hasTitles
        for line in lines {
            Swift.print(titled ? Terminal.styled(line, .bold) : line)
            titled = false
        }
    }

    /// Prints the rows so far and drops them; later rows go below them, in columns of at least the same widths.
    mutating func printPage() {
        print()
        rows.removeAll(keepingCapacity: true)
        hasTitles = false
    }

    private func line(_ row: [String]) -> String {
        let line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - Self.width($0)) }
            .joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// The width of a text in columns: East Asian wide characters take two.
    private static func width(_ text: String) -> Int {
        text.reduce(0) { sum, character in
            let value = character.unicodeScalars.first?.value ?? 0
            let isWide =
                (0x1100...0x115F).contains(value) || (0x2E80...0xA4CF).contains(value)
                || (0xAC00...0xD7A3).contains(value) || (0xF900...0xFAFF).contains(value)
                || (0xFE30...0xFE6F).contains(value) || (0xFF00...0xFF60).contains(value)
                || (0x1F300...0x1FAFF).contains(value)
            return sum + (isWide ? 2 : 1)
        }
    }
}
