import CarillonModel

/// One of the contents that a Campaign is tried with.
///
/// Which one a Device gets depends on the Campaign and the Device alone: it stays the same for every attempt and
/// Occurrence, on every node.
public struct Variant: Hashable, Sendable, Codable {
    /// How many a Campaign may have.
    public static let maximumCount = 8

    /// What figures call it: 1 through 32 letters, digits, `.`, `_` or `-`; each once in a Campaign.
    public var name: String
    /// Its share of the Devices, against the sum of all weights: 1 through 1,000; missing: 1.
    public var weight: Int
    /// What it says, in place of all of the message's content; missing: what the message says.
    public var content: [String: LocalizedContent]?

    /// Makes a variant.
    ///
    /// - Parameters:
    ///   - name: What figures call it.
    ///   - weight: Its share, 1 through 1,000.
    ///   - content: What it says in place of the message's content, by language; `nil` says what the message says.
    public init(name: String, weight: Int = 1, content: [String: LocalizedContent]? = nil) {
        self.name = name
        self.weight = weight
        self.content = content
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, weight, content
    }

    /// Reads a variant strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...32) else { throw fields.failure(.name, "is required") }
        guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }) else {
            throw fields.failure(.name, "must be letters, digits, dots, underscores and hyphens")
        }
        self.name = name
        weight = try fields.integer(.weight, 1...1_000) ?? 1
        content = try fields.optional(.content)
    }
}
