import Carillon
package import CarillonModel
package import Foundation

/// Downloads a notification's picture, video or sound.
package protocol MediaSource: Sendable {
    /// Downloads into a file.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - file: A file that does not exist yet.
    ///   - maximumSize: The maximum of bytes.
    ///   - timeLimit: The longest duration, in seconds.
    /// - Throws: Any error when the download is not complete; a part of the file may exist then.
    func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws
}

/// Downloads media with `URLSession`.
package struct URLSessionMediaSource: MediaSource {
    /// Why a download failed.
    package enum Failure: Error {
        case status(Int)
        case unwritable
    }

    package init() {}

    /// An extension runs while the phone is locked, where a file of complete protection cannot be opened again.
    private static var attributes: [FileAttributeKey: Any]? {
        #if canImport(Darwin) && !os(macOS)
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
        #else
        nil
        #endif
    }

    package func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws {
        guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: Self.attributes) else {
            throw Failure.unwritable
        }
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

/// Makes files of media that a notification can show.
package struct MediaDownload: Sendable {
    private let source: any MediaSource
    private let folder: URL
    private let bundled: @Sendable (String) -> URL?

    /// - Parameters:
    ///   - source: Downloads media that is not in the bundle.
    ///   - folder: The folder of the files.
    ///   - bundled: Finds a file of the app's bundle by its full name.
    package init(
        source: any MediaSource,
        folder: URL = FileManager.default.temporaryDirectory,
        bundled: @escaping @Sendable (String) -> URL? = { _ in nil }
    ) {
        self.source = source
        self.folder = folder
        self.bundled = bundled
    }

    /// Makes a file of media.
    ///
    /// - Parameters:
    ///   - media: The media: an `https` URL, or a file of the app's bundle.
    ///   - timeLimit: The longest duration, in seconds.
    /// - Returns: A file with the extension of its format; `nil` when the download fails, it is too large, or iOS does not show
    ///   its format.
    package func file(for media: Media, timeLimit: TimeInterval) async -> URL? {
        let raw = folder.appendingPathComponent("carillon-" + UUID().uuidString)
        do {
            try await fetch(media, into: raw, timeLimit: timeLimit)
            let handle = try FileHandle(forReadingFrom: raw)
            let start = try handle.read(upToCount: MediaFormat.prefixLength) ?? Data()
            let size = try handle.seekToEnd()
            try handle.close()
            guard let format = MediaFormat(start: start), size <= UInt64(format.kind.maximumSize) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            let named = raw.appendingPathExtension(format.rawValue)
            try FileManager.default.moveItem(at: raw, to: named)
            return named
        } catch {
            try? FileManager.default.removeItem(at: raw)
            return nil
        }
    }

    private func fetch(_ media: Media, into raw: URL, timeLimit: TimeInterval) async throws {
        guard media.source.contains(":") else { return try copy(media.source, into: raw) }
        guard let url = LinkText.url(media.source), url.scheme?.lowercased() == "https" else {
            throw CocoaError(.fileReadUnsupportedScheme)
        }
        try await source.load(url, into: raw, maximumSize: media.kind.maximumSize, timeLimit: timeLimit)
    }

    /// A copy, because the system moves the file of an attachment.
    private func copy(_ name: String, into raw: URL) throws {
        guard !name.contains("/"), name != ".", name != "..", let file = bundled(name) else {
            throw CocoaError(.fileNoSuchFile)
        }
        try FileManager.default.copyItem(at: file, to: raw)
    }
}
