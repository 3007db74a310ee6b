import CarillonModel

/// One of the contents that a Campaign compares.
///
/// A Device's variant depends only on the Campaign and the Device: it is the same for every attempt and Occurrence, on
/// every node.
public struct Variant: Hashable, Sendable, Codable {
    /// Maximum number of variants of a Campaign.
    public static let maximumCount = 8

    /// Its name in counts: 1 through 32 letters, digits, `.`, `_` or `-`; unique in a Campaign.
    public var name: String
    /// Its share of the Devices, relative to the sum of all weights: 1 through 1,000; 1 when missing.
    public var weight: Int
    /// Replaces all of the message's content; the message's own content when missing.
    public var content: [String: LocalizedContent]?

    /// Creates a variant.
    ///
    /// - Parameters:
    ///   - name: Its name in counts.
    ///   - weight: Its share, 1 through 1,000.
    ///   - content: Replaces the message's content, by language; `nil` for the message's own.
    public init(name: String, weight: Int = 1, content: [String: LocalizedContent]? = nil) {
        self.name = name
        self.weight = weight
        self.content = content
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, weight, content
    }

    /// Decodes a variant strictly.
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
