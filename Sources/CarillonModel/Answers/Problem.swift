/// An error answer of the API: problem details for HTTP (RFC 9457), media type `application/problem+json`.
public struct Problem: Error, Hashable, Sendable, Codable {
    /// A URI that names the kind of problem: `urn:carillon:problem:` and ``code``.
    public var type: String
    /// The kind in a few words; the same for every problem of a kind.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// What went wrong this time, for a person to read.
    public var detail: String?
    /// The kind as a word for programs, as `unknown-device`.
    public var code: String
    /// What is wrong with which field of the request.
    public var errors: [FieldError]?

    /// Makes a problem.
    ///
    /// - Parameters:
    ///   - code: The kind as a word for programs.
    ///   - title: The kind in a few words.
    ///   - status: The HTTP status.
    ///   - detail: What went wrong this time.
    ///   - errors: What is wrong with which field.
    public init(code: String, title: String, status: Int, detail: String? = nil, errors: [FieldError]? = nil) {
        type = "urn:carillon:problem:" + code
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.errors = errors
    }
}
