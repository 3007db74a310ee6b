import Foundation

/// The file of outcomes, which is appended to.
///
/// Each batch is one write; the next run removes an incomplete last line.
struct OutcomeFile {
    private let handle: FileHandle

    /// Opens or creates a file.
    init(path: String) throws {
        let manager = FileManager.default
        if !manager.fileExists(atPath: path) {
            // It contains device tokens: only its owner may read it.
            guard manager.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
                throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path])
            }
        }
        guard let handle = FileHandle(forUpdatingAtPath: path) else {
            throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path])
        }
        self.handle = handle
    }

    /// Reads the outcomes of earlier runs and prepares to append.
    func resume() throws -> ResumePoint {
        var point = ResumePoint()
        var rest: [UInt8] = []
        var length: UInt64 = 0
        while let chunk = try handle.read(upToCount: 1 << 18), !chunk.isEmpty {
            length += UInt64(chunk.count)
            rest += chunk
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                point.read(Substring(decoding: rest[start..<end], as: UTF8.self))
                start = end + 1
            }
            rest.removeFirst(start)
        }
        try handle.truncate(atOffset: length - UInt64(rest.count))
        try handle.seekToEnd()
        if length == UInt64(rest.count) { try write([OutcomeRow.header]) }
        return point
    }

    func append(_ rows: [OutcomeRow]) throws {
        try write(rows.map(\.text))
    }

    func close() throws {
        try handle.synchronize()
        try handle.close()
    }

    private func write(_ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        try handle.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    }
}
