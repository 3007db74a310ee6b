import Hummingbird
import NIOCore

/// Reads a form in two steps: its beginning, which says who sends it, and the rest once the caller may send so much.
struct FormReader {
    /// Maximum size of the beginning in bytes.
    static let headLimit = BodyLimit.standard

    /// Whether the body was read to its end.
    private(set) var isComplete = false
    private let limit: Int
    /// The boundary of `multipart/form-data`; `nil` for the other form.
    private let boundary: String?
    private var parts: RequestBody.AsyncIterator
    private var bytes: [UInt8] = []

    /// Creates a reader that has read nothing.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: Maximum size of the body in bytes.
    /// - Throws: ``PHPForm/Failure`` for another content type, and for a body that is announced as too large.
    init(_ request: Request, upTo limit: Int) throws(PHPForm.Failure) {
        let type = request.first(.contentType) ?? ""
        let isMultipart = type.lowercased().hasPrefix("multipart/form-data")
        guard isMultipart || type.isEmpty || type.lowercased().hasPrefix("application/x-www-form-urlencoded") else {
            throw PHPForm.Failure(field: nil, problem: "must be a form, application/x-www-form-urlencoded")
        }
        self.limit = limit
        boundary = isMultipart ? MultipartReader.boundary(of: type) : nil
        parts = request.body.makeAsyncIterator()
        if isMultipart, boundary == nil {
            throw PHPForm.Failure(field: nil, problem: "must have a boundary in its content type")
        }
        if let announced = request.first(.contentLength).flatMap({ Int($0) }), announced > limit { throw tooLarge }
    }

    /// Reads the beginning.
    ///
    /// - Returns: The fields that are complete in the first 64 KiB; all of a smaller body.
    /// - Throws: ``PHPForm/Failure`` when it is malformed.
    mutating func head() async throws -> PHPForm {
        try await read(upTo: min(limit, Self.headLimit))
        guard !isComplete || bytes.count > Self.headLimit else { return try form(bytes) }
        let head = Array(bytes.prefix(Self.headLimit))
        if let boundary { return try PHPForm(multipartHead: head, boundary: boundary) }
        let end = head.lastIndex(of: UInt8(ascii: "&")) ?? 0
        return try PHPForm(urlEncoded: Array(head[..<end]))
    }

    /// Reads the rest.
    ///
    /// - Returns: All fields.
    /// - Throws: ``PHPForm/Failure`` for a body that is too large or malformed.
    mutating func form() async throws -> PHPForm {
        try await read(upTo: limit)
        guard isComplete, bytes.count <= limit else { throw tooLarge }
        return try form(bytes)
    }

    // MARK: - Private

    private var tooLarge: PHPForm.Failure {
        PHPForm.Failure(field: nil, problem: "must have at most \(limit) bytes")
    }

    /// Reads parts until there are more bytes than a limit, or no more.
    private mutating func read(upTo limit: Int) async throws {
        while !isComplete, bytes.count <= limit {
            guard let part = try await parts.next() else {
                isComplete = true
                return
            }
            bytes.append(contentsOf: part.readableBytesView)
        }
    }

    private func form(_ bytes: [UInt8]) throws(PHPForm.Failure) -> PHPForm {
        guard let boundary else { return try PHPForm(urlEncoded: bytes) }
        return try PHPForm(multipart: bytes, boundary: boundary)
    }
}
