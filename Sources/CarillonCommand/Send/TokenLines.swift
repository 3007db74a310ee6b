import ApplePush

/// A line of a token file that is not empty.
struct TokenLine: Hashable {
    /// Counted from 1, including empty lines.
    let number: Int
    /// The token, or `nil` when the line is no hexadecimal text of 1 through 256 bytes.
    let token: APNsDeviceToken?
}

/// Splits a stream of bytes into lines and parses a device token from each.
///
/// Empty lines and lines that begin with `#` are skipped; blanks around a token and a carriage return are ignored. It
/// buffers at most one line, and of a too long one only its beginning.
struct TokenLineReader {
    private static let longestLine = 2 * APNsDeviceToken.lengths.upperBound + 64

    private var line: [UInt8] = []
    private var isTooLong = false
    private var number = 0

    /// Consumes bytes; returns the lines that end in them.
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

    /// Returns the last line if it had no line feed.
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
