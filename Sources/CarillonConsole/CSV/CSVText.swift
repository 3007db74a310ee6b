import CarillonEngine
import Hummingbird
import NIOCore

/// Tables as files that spreadsheets open: UTF-8 with a byte order mark, RFC 4180.
enum CSVText {
    /// The media type.
    static let type = "text/csv; charset=utf-8; header=present"
    /// What begins a file, so that spreadsheets read it as UTF-8.
    static let mark = "\u{FEFF}"

    /// A line with its end.
    ///
    /// A cell that a spreadsheet would evaluate begins with an apostrophe.
    static func line(_ cells: [String]) -> String {
        cells.map { quoted(SpreadsheetText.guarded($0)) }.joined(separator: ",") + "\r\n"
    }

    /// A file whose lines are all there.
    static func body(_ lines: [[String]]) -> ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(string: mark + lines.map(line).joined()))
    }

    /// A file that is written part by part, with the memory of one part.
    ///
    /// - Parameters:
    ///   - header: The names of the columns.
    ///   - reader: The state of the reading.
    ///   - next: Returns the lines of the next part; `nil` at the end.
    /// - Returns: The body. A failure of `next` ends the connection, so that a part is not taken for the whole.
    static func body<Reader: Sendable>(
        header: [String],
        _ reader: Reader,
        next: @escaping @Sendable (inout Reader) async throws -> [[String]]?
    ) -> ResponseBody {
        ResponseBody { writer in
            try await writer.write(ByteBuffer(string: mark + line(header)))
            var reader = reader
            while let lines = try await next(&reader) {
                guard !lines.isEmpty else { continue }
                try await writer.write(ByteBuffer(string: lines.map(line).joined()))
            }
            try await writer.finish(nil)
        }
    }

    private static func quoted(_ cell: String) -> String {
        let needsQuotes = cell.utf8.contains { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D
        }
        return needsQuotes ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
    }
}
