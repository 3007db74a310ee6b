import CarillonEngine
import Testing

@Suite struct CSVReaderTests {
    @Test("Fields are parsed according to RFC 4180, in chunks of any size", arguments: [1, 2, 3, 7, 1_000])
    func parsesFields(_ size: Int) {
        let text = "\u{FEFF}a,b,c\r\n1,\"two, \"\"2\"\"\",\n\n\"line\nbreak\",,\"\"\r\nlast,line,no end"

        #expect(
            read(text, by: size) == [
                .record(line: 1, fields: ["a", "b", "c"]),
                .record(line: 2, fields: ["1", "two, \"2\"", ""]),
                .record(line: 4, fields: ["line\nbreak", "", ""]),
                .record(line: 6, fields: ["last", "line", "no end"]),
            ]
        )
    }

    @Test("A bad record is reported with its line, and reading continues") func reportsBadRecords() {
        let text = "a,b\nx\"y,1\nok,1\n\"q\"z,2\nok,2\n\"open,3\nok,3"

        #expect(
            read(text) == [
                .record(line: 1, fields: ["a", "b"]),
                .problem(line: 2, "has a quote inside a field that is not quoted"),
                .record(line: 3, fields: ["ok", "1"]),
                .problem(line: 4, "has characters after a closing quote"),
                .record(line: 5, fields: ["ok", "2"]),
                .problem(line: 6, "has a quote that is not closed"),
            ]
        )
    }

    @Test("Invalid UTF-8 is a problem of its line") func reportsInvalidUTF8() {
        var items: [CSVReader.Item] = []
        var reader = CSVReader()
        reader.read([0x61, 0x0A, 0xFF, 0xFE, 0x0A, 0x62, 0x0A]) { items.append($0) }
        reader.finish { items.append($0) }

        #expect(
            items == [
                .record(line: 1, fields: ["a"]), .problem(line: 2, "is not UTF-8"), .record(line: 3, fields: ["b"]),
            ]
        )
    }

    @Test("A record has a maximum size and number of fields") func limitsRecords() {
        let long = String(repeating: "x", count: CSVReader.maximumRecordSize + 1)
        let many = String(repeating: ",", count: CSVReader.maximumFieldCount + 1)

        #expect(
            read("\(long)\nok\n\(many)\nok") == [
                .problem(line: 1, "is longer than 65536 bytes"), .record(line: 2, fields: ["ok"]),
                .problem(line: 3, "has more than 256 fields"), .record(line: 4, fields: ["ok"]),
            ]
        )
    }

    @Test("Empty input has no records", arguments: ["", "\n", "\r\n\r\n", "\u{FEFF}", "\u{FEFF}\n"])
    func readsEmptyInput(_ text: String) {
        #expect(read(text).isEmpty)
    }

    private func read(_ text: String, by size: Int = 1_000) -> [CSVReader.Item] {
        var items: [CSVReader.Item] = []
        var reader = CSVReader()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.read(bytes[start..<min(start + size, bytes.count)]) { items.append($0) }
        }
        reader.finish { items.append($0) }
        return items
    }
}
