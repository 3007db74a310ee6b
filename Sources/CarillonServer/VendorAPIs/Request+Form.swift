import Hummingbird
import NIOCore

extension Request {
    /// Reads the body of a form.
    ///
    /// - Parameter limit: Maximum size in bytes.
    /// - Returns: The fields.
    /// - Throws: ``PHPForm/Failure`` for another content type, and for a body that is too large or malformed.
    func form(upTo limit: Int) async throws -> PHPForm {
        let tooLarge = PHPForm.Failure(field: nil, problem: "must have at most \(limit) bytes")
        let type = first(.contentType) ?? ""
        let isMultipart = type.lowercased().hasPrefix("multipart/form-data")
        guard isMultipart || type.isEmpty || type.lowercased().hasPrefix("application/x-www-form-urlencoded") else {
            throw PHPForm.Failure(field: nil, problem: "must be a form, application/x-www-form-urlencoded")
        }
        if let announced = first(.contentLength).flatMap({ Int($0) }), announced > limit { throw tooLarge }
        var bytes: [UInt8] = []
        for try await part in body {
            guard bytes.count + part.readableBytes <= limit else { throw tooLarge }
            bytes.append(contentsOf: part.readableBytesView)
        }
        guard isMultipart else { return try PHPForm(urlEncoded: bytes) }
        guard let boundary = PHPForm.boundary(of: type) else {
            throw PHPForm.Failure(field: nil, problem: "must have a boundary in its content type")
        }
        return try PHPForm(multipart: bytes, boundary: boundary)
    }
}
