import CarillonReaders
import Foundation

/// The text of a file: unpacked, without a byte order mark, within a limit.
enum TextFile {
    private static let partSize = 1 << 18

    /// Reads a file's text, part by part.
    ///
    /// - Throws: ``ContentFileProblem`` when there is too much of it, ``TextInput/Objection``, ``GzipReader/Damage``, and
    ///   errors of `body`.
    static func read(
        _ bytes: [UInt8],
        _ limits: ContentFile.Limits,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        var input = TextInput()
        var size = 0
        func count(_ part: UnsafeBufferPointer<UInt8>) throws {
            size += part.count
            guard size <= limits.textSize else {
                throw ContentFileProblem("has more than \(limits.textSize) bytes of text")
            }
            try body(part)
        }
        try bytes.withUnsafeBufferPointer { bytes in
            for start in stride(from: 0, to: bytes.count, by: partSize) {
                let part = bytes[start..<min(start + partSize, bytes.count)]
                try input.read(UnsafeBufferPointer(rebasing: part), count)
            }
        }
        try input.finish(count)
    }

    /// Reads a table row by row; the first one is the header.
    ///
    /// - Parameters:
    ///   - read: Hands out the text's parts.
    ///   - header: Receives the header.
    ///   - body: Receives each row; `nil` in place of one that cannot be read, with its line and the reason.
    /// - Throws: ``ContentFileProblem`` when there is no header, and errors of the closures.
    static func readTable(
        _ read: @escaping ((UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Void,
        header: ([String]) throws -> Void,
        row body: (TableRow?, _ line: Int, _ problem: String) throws -> Void
    ) throws {
        var reader = TableReader()
        var hasHeader = false
        func receive(_ item: TableReader.Item) throws {
            switch item {
            case .problem(let line, let text):
                guard hasHeader else { throw ContentFileProblem("has a first line that \(text)") }
                try body(nil, line, text)
            case .row(let row):
                guard !hasHeader else { return try body(row, row.line, "") }
                hasHeader = true
                let names = (0..<row.count).map { row.text($0) ?? "" }
                try header(names.map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
        try read { try reader.read($0, receive) }
        try reader.finish(receive)
        guard hasHeader else { throw ContentFileProblem("has no first line with the names of its columns") }
    }
}
