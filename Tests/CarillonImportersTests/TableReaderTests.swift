import CarillonReaders
import Testing

/// Rows that are whole lines are read at once, all others byte by byte: both ways read the same.
@Suite struct TableReaderTests {
    private static let pieces = [
        "a", "bc", ",", ",", ",", "\"", "\"\"", "\n", "\n", "\r\n", "\r", "\0", "é", "\"x\"", "\"x,\"\"y\"", "\",\"",
        "0123456789012345678901234567890123456789",
    ]

    /// Everything that a reader says of a text.
    private func items(_ text: [UInt8], _ partSize: Int) -> [String] {
        var reader = TableReader(maximumRowSize: 64, maximumFieldCount: 5)
        var items: [String] = []
        func add(_ item: TableReader.Item) {
            switch item {
            case .row(let row):
                let fields = (0..<row.count).map { "\(Array(row.bytes($0)))" }
                items.append("\(row.line) \(fields) \(row.isASCII)")
            case .problem(let line, let problem): items.append("\(line) \(problem)")
            }
        }
        for start in stride(from: 0, to: text.count, by: partSize) {
            let part = Array(text[start..<min(start + partSize, text.count)])
            part.withUnsafeBufferPointer { reader.read($0, add) }
        }
        reader.finish(add)
        return items + ["\(reader.lostLineCount) lost"]
    }

    @Test("Any text is read the same in one part and byte by byte", arguments: 0..<40)
    func readsEverySplitTheSame(_ seed: UInt64) {
        var generator = RandomBytesTests.Generator(state: seed)
        for _ in 0..<200 {
            let count = Int.random(in: 0...40, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            let bytes = Array(text.utf8)

            let whole = items(bytes, max(1, bytes.count))

            #expect(items(bytes, 1) == whole)
            #expect(items(bytes, 7) == whole)
        }
    }

    @Test("A line of exactly the maximum size is a row, and one more byte is none", arguments: [63, 64])
    func boundsRows(_ length: Int) {
        let line = Array(String(repeating: "x", count: length).utf8) + [0x0A]

        let items = items(line + line, 4_096)

        #expect(items.filter { $0.hasSuffix("is longer than 64 bytes") }.count == (length == 63 ? 0 : 2))
        #expect(items == self.items(line + line, 1))
    }

    @Test("A line with exactly the maximum number of fields is a row, and one more is none", arguments: [5, 6])
    func boundsFields(_ count: Int) {
        let line = Array(Array(repeating: "x", count: count).joined(separator: ",").utf8) + [0x0A]

        let items = items(line, 4_096)

        #expect(items.contains { $0.hasSuffix("has more than 5 fields") } == (count == 6))
        #expect(items == self.items(line, 1))
    }
}
