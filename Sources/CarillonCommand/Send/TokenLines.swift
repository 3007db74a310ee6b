import ApplePush

/// A line of a token file that has something on it.
struct TokenLine: Hashable {
    /// Counted from 1, empty lines included.
    let number: Int
    /// The token, or `nil` when the line is no hexadecimal text of 1 through 256 bytes.
    let token: APNsDeviceToken?
}

/// Cuts a stream of bytes into lines and reads a device token from each.
///
/// Empty lines and lines that begin with `#` are passed over; blanks around a token and a carriage return are borne. It
/// never holds more than one line, and of an overlong one only its beginning.
struct TokenLineReader {
    private static let longestLine = 2 * APNsDeviceToken.lengths.upperBound + 64

    private var line: [UInt8] = []
    private var isTooLong = false
    private var number = 0

    /// Takes the next bytes; gives the lines that end in them.
    mutating func read(_ bytes: some Sequence<UInt8>) -> [TokenLine] {
        var lines: [TokenLine] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if let line = endLine() { lines.append(line) }
            } else if line.count < Self.longestLine {
                line.append(byte)
            } else {
                isTooLong = true
            }
        }
        return lines
    }

    /// Gives the last line if it had no line feed.
    mutating func finish() -> TokenLine? {
        line.isEmpty && !isTooLong ? nil : endLine()
    }

    private mutating func endLine() -> TokenLine? {
        number += 1
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        if isTooLong { return TokenLine(number: number, token: nil) }
        let text = line.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
        guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
        return TokenLine(number: number, token: APNsDeviceToken(hex: String(decoding: text, as: UTF8.self)))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
