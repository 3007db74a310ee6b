import CarillonModel

/// Values of the placeholders `{{value.NAME}}` in a request.
public struct TemplateValues: Hashable, Sendable, Codable {
    /// Maximum length of a text in characters.
    public static let maximumLength = 1_000
    /// Maximum number of values in one request.
    public static let maximumCount = 64

    /// Texts by name; a name has 1 through 64 letters, digits, `.`, `_` and `-` of ASCII.
    public var texts: [String: String]

    /// Creates values from texts.
    ///
    /// - Parameter texts: At most 64, of at most 1,000 characters each.
    public init(_ texts: [String: String]) { self.texts = texts }

    /// Reads an object of texts, numbers and booleans.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let values = try container.decode([String: JSONValue].self)
        let field = FieldError.path(decoder.codingPath)
        guard values.count <= Self.maximumCount else {
            throw FieldError(field: field, problem: "must have at most \(Self.maximumCount) names")
        }
        texts = [:]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard PersonalField.isName(name[...]) else {
                throw FieldError(
                    field: field,
                    problem: "must have names of 1 through 64 letters, digits, dots, underscores and hyphens"
                )
            }
            guard let text = value.plainText, TextLimit(0...Self.maximumLength).problem(of: text) == nil else {
                throw FieldError(
                    field: field + "." + name,
                    problem: "must be a text of at most \(Self.maximumLength) characters, a number, true or false"
                )
            }
            texts[name] = text
        }
    }

    /// Writes an object of texts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(texts)
    }
}

extension JSONValue {
    /// A text, a number or a boolean as a text; `nil` for all others.
    package var plainText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
