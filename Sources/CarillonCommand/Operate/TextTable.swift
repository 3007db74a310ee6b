/// A text table.
struct TextTable {
    private let titles: [String]
    private var rows: [[String]] = []

    init(_ titles: String...) { self.titles = titles }

    /// Adds a row with a cell per column; control characters are removed.
    mutating func add(_ cells: String?...) {
        rows.append(cells.map { cell in (cell ?? "").filter { !$0.unicodeScalars.contains(where: Self.isControl) } })
    }

    /// The lines, titles first, without trailing blanks.
    var lines: [String] {
        let widths = titles.indices.map { column in
            ([titles] + rows).map { column < $0.count ? Self.width($0[column]) : 0 }.max() ?? 0
        }
        return ([titles] + rows).map { row in
            let line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - Self.width($0)) }
                .joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    func print() {
        for line in lines { Swift.print(line) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
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
