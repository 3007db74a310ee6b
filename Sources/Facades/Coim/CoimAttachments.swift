import Foundation

/// The files of one upload.
struct CoimAttachments: Sendable {
    static let maximumCount = 3

    /// A file with the name and the type that the server receives.
    struct File: Sendable {
        let name: String
        let type: String
        let data: Data
    }

    let files: [File]

    /// Reads files.
    ///
    /// - Parameter list: Paths, or URLs of files: at most 3 that have at most 1,000,000 bytes together.
    /// - Throws: ``CoimError`` when there are more, when one does not exist, or when they are too large.
    init(_ list: [Any]) throws {
        guard list.count <= Self.maximumCount else {
            throw CoimError.wrongParameters("more than \(Self.maximumCount) files")
        }
        let urls = try list.map(Self.url)
        // A size is looked up first, so that nothing large is read.
        try Self.check(size: try urls.reduce(0) { try $0 + Self.size($1) })
        files = try urls.map { url in
            guard let data = try? Data(contentsOf: url) else { throw Self.missing(url) }
            return File(name: url.lastPathComponent, type: MediaType.of(url.pathExtension), data: data)
        }
        try Self.check(size: files.reduce(0) { $0 + $1.data.count })
    }

    private static func url(_ item: Any) throws -> URL {
        if let url = item as? URL, url.isFileURL { return url }
        guard let path = item as? String, !path.isEmpty else {
            throw CoimError.wrongParameters("a file is neither a path nor the URL of a file")
        }
        return URL(fileURLWithPath: path)
    }

    private static func size(_ url: URL) throws -> Int {
        let path = url.resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular else { throw missing(url) }
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }

    private static func check(size: Int) throws {
        guard size <= maxFileSize else { throw CoimError.make(.sizeOver, "size of all files is over 1 M") }
    }

    private static func missing(_ url: URL) -> NSError {
        CoimError.make(.noFile, "file(s) is not existed: " + url.lastPathComponent)
    }
}

/// A body of `multipart/form-data` (RFC 7578).
struct MultipartBody {
    let boundary: String
    private(set) var data = Data()

    init(boundary: String = "coim-" + UUID().uuidString) { self.boundary = boundary }

    var contentType: String { "multipart/form-data; boundary=" + boundary }

    mutating func add(_ name: String, _ text: String) {
        begin("name=\"\(name)\"")
        data.append(Data("\r\n\(text)\r\n".utf8))
    }

    mutating func add(_ name: String, _ file: CoimAttachments.File) {
        begin("name=\"\(name)\"; filename=\"\(Self.quoted(file.name))\"")
        data.append(Data("Content-Type: \(file.type)\r\n\r\n".utf8))
        data.append(file.data)
        data.append(Data("\r\n".utf8))
    }

    mutating func end() { data.append(Data("--\(boundary)--\r\n".utf8)) }

    private mutating func begin(_ parameters: String) {
        data.append(Data("--\(boundary)\r\nContent-Disposition: form-data; \(parameters)\r\n".utf8))
    }

    /// As browsers do: a file's name must not end the header.
    private static func quoted(_ name: String) -> String {
        var quoted = name
        for (text, escape) in [("\"", "%22"), ("\r", "%0D"), ("\n", "%0A")] {
            quoted = quoted.replacingOccurrences(of: text, with: escape)
        }
        return quoted
    }
}

/// Media types by extension.
///
/// The system's table is not there on Linux, and is newer than the types that an app of 2014 attaches.
enum MediaType {
    private static let known = [
        "aac": "audio/aac", "avi": "video/x-msvideo", "caf": "audio/x-caf", "csv": "text/csv",
        "gif": "image/gif", "heic": "image/heic", "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "json": "application/json",
        "m4a": "audio/mp4", "m4v": "video/x-m4v", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "pdf": "application/pdf", "png": "image/png", "tif": "image/tiff", "tiff": "image/tiff", "txt": "text/plain",
        "wav": "audio/wav", "webp": "image/webp", "xml": "application/xml", "zip": "application/zip",
    ]

    static func of(_ name: String) -> String { known[name.lowercased()] ?? "application/octet-stream" }
}
