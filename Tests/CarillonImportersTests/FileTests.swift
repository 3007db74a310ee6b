import CarillonImporters
import CarillonModel
import CarillonReaders
import Testing

/// Files as bytes: compression, encodings, lines, quotes.
@Suite struct FileTests {
    private let format = OneSignalFormat(options())
    private let header = "identifier,device_type,external_user_id\n"

    private func row(_ byte: UInt8) -> String { "\(token(byte)),0,u-\(byte)\n" }

    @Test("X-01 gzip is known by its first bytes, and all of its members are read", arguments: [1, 2, 7, 4_096])
    func readsAllMembers(_ partSize: Int) {
        let bytes = gzipped((header + row(1)).utf8) + gzipped(row(2).utf8) + [0, 0, 0] + gzipped(row(3).utf8)

        let reading = Reading(format, bytes, partSizes: [partSize])

        #expect(reading.failure == nil)
        #expect(reading.devices.map(\.registration.user?.rawValue) == ["u-1", "u-2", "u-3"])
    }

    @Test("X-02 The rows before the end of a cut file stay, and the damage has its place")
    func keepsRowsBeforeACut() {
        let text = header + (1...200).map { row(UInt8($0)) }.joined()
        let whole = gzipped(text.utf8)

        let cut = Reading(format, whole.dropLast(20))

        #expect(cut.failure as? GzipReader.Damage == .cutOff)
        #expect(cut.lastLine == cut.devices.count + 1)
        #expect(cut.devices.count > 100)
    }

    @Test("X-02 A bad checksum is damage after all rows") func reportsBadChecksums() {
        var bytes = gzipped((header + row(1) + row(2)).utf8)
        bytes[bytes.count - 6] ^= 0xFF

        let reading = Reading(format, bytes)

        #expect(reading.failure as? GzipReader.Damage == .corrupt)
        #expect(reading.devices.count == 2)
    }

    @Test("X-03 A zip archive is refused with a hint") func refusesZip() {
        let reading = Reading(format, [0x50, 0x4B, 0x03, 0x04] + Array(repeating: 7, count: 50))

        #expect(reading.failure as? TextInput.Objection == .zip)
        #expect(reading.fates.isEmpty)
    }

    @Test("X-05 A byte order mark is skipped, also inside gzip", arguments: [false, true])
    func skipsByteOrderMark(_ isCompressed: Bool) {
        let text = [0xEF, 0xBB, 0xBF] + Array((header + row(1)).utf8)

        let reading = Reading(format, isCompressed ? gzipped(text) : text, partSizes: [1])

        #expect(reading.devices.count == 1)
    }

    @Test("X-06 UTF-16 and other encodings are refused") func refusesOtherEncodings() {
        let utf16 = (header + row(1)).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let korean = Array((header + row(1)).utf8) + Array("\(token(2)),0,".utf8) + [0xC8, 0xAB, 0xB1, 0xE6, 0x0A]

        let marked = Reading(format, [0xFF, 0xFE] + utf16)
        let unmarked = Reading(format, utf16)
        let other = Reading(format, korean)

        #expect(marked.failure as? TextInput.Objection == .utf16)
        #expect(unmarked.failure as? TextInput.Objection == .utf16)
        #expect(
            (other.failure as? SourceProblem)?.description.contains("is not in UTF-8 (CP949 or Shift_JIS?)") == true
        )
    }

    @Test("X-06 One row in another encoding among rows in UTF-8 is refused alone") func refusesOneRow() {
        let bytes =
            Array((header + "\(token(1)),0,é\n" + "\(token(2)),0,ü\n").utf8) + Array("\(token(3)),0,".utf8) + [
                0xC8, 0x0A,
            ]

        let reading = Reading(format, bytes)

        #expect(reading.failure == nil)
        #expect(reading.devices.count == 2)
        #expect(reading.refused == ["4 is not UTF-8"])
    }

    @Test("X-07 LF and CRLF may be mixed; CR alone is refused") func readsLineEnds() {
        let mixed = header + "\(token(1)),0,u-1\r\n" + "\(token(2)),0,\"u-2\"\r\n\n" + "\(token(3)),0,u-3"
        let alone = "identifier,device_type\r\(token(1)),0\r"

        #expect(Reading(format, mixed).devices.map(\.registration.user?.rawValue) == ["u-1", "u-2", "u-3"])
        let failure = Reading(format, alone).failure as? SourceProblem
        #expect(failure?.description == "has lines that end with CR alone; save it with LF or CRLF")
    }

    @Test("X-08 NUL in a field refuses its line", arguments: ["a\0b", "\"a\0b\"", "\0"])
    func refusesNul(_ field: String) {
        let reading = Reading(format, header + "\(token(1)),0,\(field)\n" + row(2))

        #expect(reading.refused == ["2 has a NUL character"])
        #expect(reading.devices.count == 1)
    }

    @Test("X-09 A field of 10 MB refuses its line, and the next one is read") func refusesHugeFields() {
        let huge = String(repeating: "x", count: 10_000_000)

        let reading = Reading(format, header + "\(token(1)),0,\(huge)\n" + row(2), partSizes: [65_536])

        #expect(reading.refused == ["2 is longer than 262144 bytes"])
        #expect(reading.devices.count == 1)
    }

    @Test("X-10 A quote that is never closed takes a bounded number of lines, which are counted")
    func boundsOpenQuotes() {
        let after = (0..<10_000).map { _ in row(9) }.joined()

        let reading = Reading(format, header + "\(token(1)),0,\"u-1\n" + after)

        let lost = 10_000 - reading.devices.count
        #expect(reading.refused == ["2 has a quote that is not closed; \(lost) lines after it are lost"])
        #expect((1...4_000).contains(lost))
        #expect(reading.lostLineCount == lost)
    }

    @Test(
        "X-11 A quote inside a field, and text after a quoted one, refuse the line",
        arguments: [
            ("u\"1", "has a quote inside a field that is not quoted"),
            ("\"u\"1", "has characters after a closing quote"),
        ]
    )
    func refusesStrayQuotes(_ field: String, _ problem: String) {
        let reading = Reading(format, header + "\(token(1)),0,\(field)\n" + row(2))

        #expect(reading.refused == ["2 \(problem)"])
        #expect(reading.devices.count == 1)
    }

    @Test("X-10 Lines that a stray quote takes up to the next one are counted", arguments: ["", "\n"])
    func countsLinesUpToTheNextQuote(_ end: String) {
        let stray = Reading(format, header + "\(token(1)),0,\"u\n" + row(2) + "\(token(3)),0,\"u-3\"\n" + row(4))
        #expect(stray.devices.count == 1 && stray.lostLineCount == 2)
        let open = Reading(format, header + row(2) + "\(token(1)),0,\"u\n\(token(3)),0,u-3" + end)
        #expect(open.devices.count == 1 && open.lostLineCount == 1)
    }

    @Test("X-12 A column that is there twice is refused") func refusesRepeatedColumns() {
        let reading = Reading(format, "identifier,device_type,Identifier\n" + row(1))

        #expect((reading.failure as? SourceProblem)?.description == "has the column Identifier twice")
        #expect(reading.fates.isEmpty)
    }

    @Test("X-13 A table without the token's column is refused by name") func requiresTheToken() {
        let reading = Reading(format, "device_type,tags\n0,{}\n")

        #expect((reading.failure as? SourceProblem)?.description.hasPrefix("has no column identifier;") == true)
    }

    @Test("X-14 Unknown columns are named") func namesUnknownColumns() {
        let reading = Reading(format, "identifier,device_type,Shoe Size,session_count\n\(token(1)),0,44,3\n")

        #expect(reading.unreadColumns == ["Shoe Size"])
        #expect(reading.devices.count == 1)
    }

    @Test("X-15 Order and case of columns do not matter; a wrong number of fields refuses the line")
    func readsColumnsByName() {
        let reading = Reading(format, "DEVICE_TYPE, External_User_ID ,identifier\n0,u-1,\(token(1))\n0,u-2\n")

        #expect(reading.devices.map(\.registration.user?.rawValue) == ["u-1"])
        #expect(reading.refused == ["3 has 2 fields, the header has 3"])
    }

    @Test("X-16 An empty file and a header alone have no rows", arguments: ["", "\n\n", "identifier,device_type\n"])
    func readsEmptyFiles(_ text: String) {
        let reading = Reading(format, text)

        #expect(reading.failure == nil)
        #expect(reading.fates.isEmpty)
    }

    @Test("X-21 A file of another service is told by its header") func tellsOtherServices() {
        let reading = Reading(format, "ChannelType,Address\nAPNS,\(token(1))\n")

        #expect(
            (reading.failure as? SourceProblem)?.description
                .hasSuffix("; it looks like Amazon Pinpoint's: carillon import pinpoint") == true
        )
    }
}
