import CarillonEngine
import HTTPTypes
import Hummingbird

/// Reads forms, and refuses those of other sites.
enum FormCheck {
    /// The name of the field with the token.
    static let field = "_csrf"
    /// The size in bytes beyond which a form is read only of who is signed in; forms of entry hold others, sealed.
    static let closedLimit = 96 * 1_024
    /// The size in bytes beyond which a form is read only of who is signed in, few at a time.
    static let openLimit = 4 * 1_024 * 1_024

    /// Reads the body of a form.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: Maximum size of the body in bytes.
    /// - Returns: Its fields.
    /// - Throws: ``ConsoleProblem``.
    static func read(_ request: Request, upTo limit: Int) async throws -> FormFields {
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > limit {
            throw ConsoleProblem.formTooLarge(limit: limit)
        }
        var bytes: [UInt8] = []
        for try await part in request.body {
            guard bytes.count + part.readableBytes <= limit else { throw ConsoleProblem.formTooLarge(limit: limit) }
            bytes.append(contentsOf: part.readableBytesView)
        }
        guard !bytes.isEmpty else { return FormFields() }
        let contentType = request.headers[.contentType] ?? ""
        let type = contentType.lowercased()
        if type.hasPrefix(MultipartForm.type) {
            guard let form = MultipartForm.read(bytes, contentType) else { throw ConsoleProblem.malformedForm }
            return form
        }
        guard type.hasPrefix("application/x-www-form-urlencoded"), let form = try? FormFields(urlEncoded: bytes) else {
            throw ConsoleProblem.malformedForm
        }
        return form
    }

    /// Checks that a page of ours sent the form, in the browser that has the session.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - value: The value of the session's cookie, whether there is such a session or not.
    /// - Throws: ``ConsoleProblem/foreignForm``.
    static func check(_ request: ConsoleRequest, _ value: String?) throws(ConsoleProblem) {
        if let site = request.headers.text("Sec-Fetch-Site") {
            guard site == "same-origin" else { throw .foreignForm }
        } else {
            guard request.headers[.origin]?.lowercased() == request.origin.text else { throw .foreignForm }
        }
        guard let value, let token = request.form[field] ?? request.headers.text("X-Carillon-CSRF"),
            SessionValue.isCSRFToken(token, of: value)
        else { throw .foreignForm }
    }
}
