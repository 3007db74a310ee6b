/// The attributes of a User: the response of `GET` and the body of `PATCH /v1/devices/{device}/attributes`.
public struct UserAttributes: Hashable, Sendable, Codable {
    /// Maximum number of attributes of one User.
    public static let maximumCount = 64
    /// Maximum length of a text in characters.
    public static let maximumLength = 256

    /// Values by name.
    ///
    /// A name has 1 through 64 letters, digits, `.`, `_` and `-` of ASCII. A value is a text of at most 256 characters,
    /// none of them a control character other than line breaks and tabs, a number or a boolean; in a change, null
    /// removes the attribute.
    public var attributes: [String: JSONValue]

    /// Creates attributes.
    ///
    /// - Parameter attributes: At most 64.
    public init(attributes: [String: JSONValue]) { self.attributes = attributes }

    enum CodingKeys: CodingKey {
        case attributes
    }

    /// Decodes attributes strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        attributes = try fields.required(.attributes)
        try validate(at: fields.failure(.attributes, "").field)
    }

    /// Checks names and values.
    ///
    /// - Parameter path: The path of the attributes.
    /// - Throws: ``FieldError`` naming the attribute.
    package func validate(at path: String = "attributes") throws(FieldError) {
        guard attributes.count <= Self.maximumCount else {
            throw FieldError(field: path, problem: "must have at most \(Self.maximumCount) names")
        }
        for name in Array(attributes.keys).inOrder() {
            guard let value = attributes[name], let problem = Self.problem(name, value) else { continue }
            throw FieldError(field: problem.field.isEmpty ? path : path + "." + name, problem: problem.problem)
        }
    }

    /// Checks an attribute; `nil` when it is valid.
    ///
    /// - Returns: The field is the attribute's name, or empty when the name is invalid.
    package static func problem(_ name: String, _ value: JSONValue) -> FieldError? {
        guard isName(name) else {
            return FieldError(
                field: "",
                problem: "must have names of 1 through 64 letters, digits, dots, underscores and hyphens"
            )
        }
        guard isValue(value) else {
            let problem =
                "must be a text of at most 256 characters without control characters, a number, true, false or null"
            return FieldError(field: name, problem: problem)
        }
        return nil
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }

    private static func isValue(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .integer: true
        case .number(let number): number.isFinite
        case .string(let text):
            TextLimit(0...maximumLength).problem(of: text) == nil
        case .array, .object: false
        }
    }
}
