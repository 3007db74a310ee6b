package import Foundation

/// Gets a notification's picture onto the disk.
package protocol ImageSource: Sendable {
    /// Streams a picture into a file.
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - file: A file that does not exist yet.
    ///   - maximumSize: How many bytes may be written.
    ///   - timeLimit: How long it may take, in seconds.
    /// - Throws: Any error when it did not get all of it; there may be a part of a file then.
    func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws
}

/// Gets pictures by `URLSession`.
package struct URLSessionImageSource: ImageSource {
    /// Why there is no picture.
    package enum Failure: Error {
        case status(Int)
        case unwritable
    }

    package init() {}

    package func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws {
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else { throw Failure.unwritable }
        let sink = FileSink(handle: try FileHandle(forWritingTo: file), limit: maximumSize)
        let session = HTTPSession(connections: 1, followsRedirects: true)
        let request = TransportRequest(method: "GET", url: url, headers: [:], body: nil, timeLimit: timeLimit)
        let head = try await session.run(request) { sink.write($0) }
        guard head.status == 200 else { throw Failure.status(head.status) }
        try sink.close()
    }
}

/// Writes a body of limited size to a file.
///
/// Unchecked: `lock` protects everything.
private final class FileSink: @unchecked Sendable {
    private let lock = NSLock()
    private let handle: FileHandle
    private let limit: Int
    private var size = 0

    init(handle: FileHandle, limit: Int) {
        self.handle = handle
        self.limit = limit
    }

    func write(_ piece: Data) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        size += piece.count
        guard size <= limit else { return false }
        return (try? handle.write(contentsOf: piece)) != nil
    }

    func close() throws {
        lock.lock()
        defer { lock.unlock() }
        try handle.close()
    }
}

/// Makes a file of a picture that a notification can show.
package struct ImageDownload: Sendable {
    /// Apple takes pictures of at most 10 MB.
    static let maximumSize = 10_485_760

    private let source: any ImageSource
    private let folder: URL

    package init(source: any ImageSource, folder: URL = FileManager.default.temporaryDirectory) {
        self.source = source
        self.folder = folder
    }

    /// Gets a picture.
    ///
    /// - Parameters:
    ///   - url: Where it is: `https`.
    ///   - timeLimit: How long it may take, in seconds.
    /// - Returns: A file whose name ends as its content demands; `nil` when there is none to be had.
    package func file(for url: URL, timeLimit: TimeInterval) async -> URL? {
        guard url.scheme?.lowercased() == "https" else { return nil }
        let raw = folder.appendingPathComponent("carillon-" + UUID().uuidString)
        do {
            try await source.load(url, into: raw, maximumSize: Self.maximumSize, timeLimit: timeLimit)
            let handle = try FileHandle(forReadingFrom: raw)
            let firstBytes = try handle.read(upToCount: 8) ?? Data()
            try handle.close()
            guard let format = ImageFormat(firstBytes: firstBytes) else { throw CocoaError(.fileReadCorruptFile) }
            let named = raw.appendingPathExtension(format.rawValue)
            try FileManager.default.moveItem(at: raw, to: named)
            return named
        } catch {
            try? FileManager.default.removeItem(at: raw)
            return nil
        }
    }
}
