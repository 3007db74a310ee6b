/// An error in one field of a request.
public struct FieldError: Error, Hashable, Sendable, Codable {
    /// The path of the field: names and positions joined by dots, such as `message.content.ja.title` or
    /// `events.3.kind`.
    ///
    /// Empty for the body as a whole.
    public var field: String

    /// The valid values of the field, with their limit.
    public var problem: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - field: The path of the field, joined by dots.
    ///   - problem: The valid values of the field, with their limit.
    public init(field: String, problem: String) {
        self.field = field
        self.problem = problem
    }
}

extension FieldError {
    /// Converts a decoder's error.
    ///
    /// The value itself is not included: it may be a secret or a device token.
    public init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context):
            self.init(field: Self.path(context.codingPath), problem: "must be \(Self.words(for: type))")
        case .valueNotFound(let type, let context):
            self.init(field: Self.path(context.codingPath), problem: "must be \(Self.words(for: type)), not null")
        case .keyNotFound(let key, let context):
            self.init(field: Self.path(context.codingPath + [key]), problem: "is required")
        case .dataCorrupted(let context):
            let isWholeBody = context.codingPath.isEmpty
            self.init(
                field: Self.path(context.codingPath),
                problem: isWholeBody ? "must be valid JSON in UTF-8" : context.debugDescription
            )
        @unknown default:
            self.init(field: "", problem: "must be valid JSON in UTF-8")
        }
    }

    package static func path(_ codingPath: [any CodingKey]) -> String {
        codingPath.map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: ".")
    }

    private static func words(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "an integer"
        case is any BinaryFloatingPoint.Type: "a number"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "of another type"
        }
    }
}
