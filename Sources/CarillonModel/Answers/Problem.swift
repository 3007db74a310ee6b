/// An error response of the API: problem details for HTTP (RFC 9457), media type `application/problem+json`.
public struct Problem: Error, Hashable, Sendable, Codable {
    /// A URI that identifies the kind of problem: `urn:carillon:problem:` and ``code``.
    public var type: String
    /// A short description of the kind; the same for every problem of a kind.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// A description of this problem, for people.
    public var detail: String?
    /// The kind as a code for programs, such as `unknown-device`.
    public var code: String
    /// The errors of single fields of the request.
    public var errors: [FieldError]?

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - code: The kind as a code for programs.
    ///   - title: A short description of the kind.
    ///   - status: The HTTP status.
    ///   - detail: A description of this problem.
    ///   - errors: The errors of single fields.
    public init(code: String, title: String, status: Int, detail: String? = nil, errors: [FieldError]? = nil) {
        type = "urn:carillon:problem:" + code
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.errors = errors
    }
}
