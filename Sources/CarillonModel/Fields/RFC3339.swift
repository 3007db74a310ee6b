/// Times as text (RFC 3339), by integer arithmetic.
///
/// Foundation's formatters use floating-point seconds and sometimes lose a millisecond; and one call takes longer than
/// the rest of a small body.
enum RFC3339 {
    /// Parses a time to milliseconds since 1970, from year 1970 through 9999; `nil` for anything else.
    ///
    /// Digits below a millisecond are cut off; leap seconds are invalid.
    static func milliseconds<Text: RandomAccessCollection<UInt8>>(_ text: Text) -> Int64? where Text.Index == Int {
        guard (20...40).contains(text.count) else { return nil }
        var reader = Reader(text)
        guard let year = reader.number(4), reader.consume("-"), let month = reader.number(2), reader.consume("-"),
            let day = reader.number(2), reader.consume("T") || reader.consume("t"),
            let hour = reader.number(2), reader.consume(":"), let minute = reader.number(2), reader.consume(":"),
            let second = reader.number(2), (1...12).contains(month), hour < 24, minute < 60, second < 60,
            day >= 1, day <= GregorianCalendar.dayCount(ofMonth: month, in: year), let fraction = reader.fraction(),
            let offset = reader.offset(),
            reader.isAtEnd
        else { return nil }
        let minutes =
            (GregorianCalendar.daysSince1970(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
        let milliseconds = Int64(minutes * 60 + second) * 1_000 + Int64(fraction)
        return (0..<253_402_300_800_000).contains(milliseconds) ? milliseconds : nil
    }

    /// Length of the text of ``write(_:into:)`` in characters.
    static let length = 24

    /// Writes a time in UTC with milliseconds: `2026-11-21T08:44:00.120Z`.
    ///
    /// - Parameters:
    ///   - milliseconds: Milliseconds since 1970; clamped to the years 1970 through 9999.
    ///   - text: The destination, of ``length`` bytes.
    static func write(_ milliseconds: Int64, into text: UnsafeMutableBufferPointer<UInt8>) {
        let milliseconds = Int(min(max(0, milliseconds), 253_402_300_799_999))
        let (year, month, day) = GregorianCalendar.date(daysSince1970: milliseconds / 86_400_000)
        func put(_ number: Int, _ count: Int, at offset: Int, then mark: StaticString) {
            var rest = number
            for index in stride(from: offset + count - 1, through: offset, by: -1) {
                text[index] = UInt8(0x30 + rest % 10)
                rest /= 10
            }
            text[offset + count] = mark.utf8Start.pointee
        }
        put(year, 4, at: 0, then: "-")
        put(month, 2, at: 5, then: "-")
        put(day, 2, at: 8, then: "T")
        put(milliseconds / 3_600_000 % 24, 2, at: 11, then: ":")
        put(milliseconds / 60_000 % 60, 2, at: 14, then: ":")
        put(milliseconds / 1_000 % 60, 2, at: 17, then: ".")
        put(milliseconds % 1_000, 3, at: 20, then: "Z")
    }

    // MARK: - Reading

    private struct Reader<Text: RandomAccessCollection<UInt8>> where Text.Index == Int {
        private let text: Text
        private var position: Int

        init(_ text: Text) {
            self.text = text
            position = text.startIndex
        }

        var isAtEnd: Bool { position == text.endIndex }

        mutating func consume(_ mark: StaticString) -> Bool {
            guard position < text.endIndex, text[position] == mark.utf8Start.pointee else { return false }
            position += 1
            return true
        }

        mutating func digit() -> Int? {
            guard position < text.endIndex, (0x30...0x39).contains(text[position]) else { return nil }
            defer { position += 1 }
            return Int(text[position]) - 0x30
        }

        mutating func number(_ count: Int) -> Int? {
            var number = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// Milliseconds after the point; 0 without one.
        mutating func fraction() -> Int? {
            guard consume(".") else { return 0 }
            guard let first = digit() else { return nil }
            var milliseconds = first * 100
            var weight = 10
            while let digit = digit() {
                milliseconds += digit * weight
                weight /= 10
            }
            return milliseconds
        }

        /// Minutes ahead of UTC.
        mutating func offset() -> Int? {
            if consume("Z") || consume("z") { return 0 }
            let isBehind = consume("-")
            guard isBehind || consume("+"), let hours = number(2), consume(":"), let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            return (hours * 60 + minutes) * (isBehind ? -1 : 1)
        }
    }
}
