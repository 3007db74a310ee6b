/// Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) from parts of a response.
struct EventStreamParser {
    /// A line that exceeds the limit.
    struct TooLong: Error, CustomStringConvertible {
        var description: String {
            "The server's stream has a line of more than \(EventStreamParser.longestLine) bytes."
        }
    }

    /// Maximum length of a line in bytes.
    static let longestLine = 1 << 20

    private var line: [UInt8] = []
    private var data: [UInt8] = []

    /// Adds bytes.
    ///
    /// - Returns: The data of each event that they complete; comments and other fields are dropped.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                if line.count > Self.longestLine || data.count > Self.longestLine { throw TooLong() }
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if line.isEmpty, !data.isEmpty {
                events.append(data)
                data = []
            } else if line.starts(with: Array("data:".utf8)) {
                let value = line.dropFirst(5)
                data += data.isEmpty ? [] : [UInt8(ascii: "\n")]
                data += value.first == UInt8(ascii: " ") ? value.dropFirst() : value
            }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }
}
