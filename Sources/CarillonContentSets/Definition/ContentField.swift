import CarillonModel

/// A field of a table's rows.
package struct ContentField: Hashable, Sendable {
    /// Its name in answers and queries: a letter, then up to 63 letters, digits and underscores.
    package var name: String
    package var type: ContentFieldType
    /// A row without a value of it is skipped.
    package var isRequired = false
    /// Whether rows can be looked up by its values.
    package var isIndexed = false
    /// Whether the full text search looks into it.
    package var isSearchable = false
    /// Language of its texts, as BCP 47 has it; `nil` for the definition's.
    package var language: String?
    /// Where a file has it: one column or member, for a position two; nested members are joined by dots.
    ///
    /// Empty for the field's own name, and for a position the geometry of GeoJSON, or `latitude` and `longitude`.
    package var columns: [String] = []
    /// Longest text in characters; longer ones are cut off.
    package var maximumLength = Self.defaultLength

    package static let defaultLength = 4_000
    package static let lengths = 1...20_000
    /// Maximum bytes of a JSON value.
    package static let maximumDocumentSize = 1_048_576
    /// Maximum elements of a list.
    package static let maximumListCount = 1_000

    package init(
        _ name: String,
        _ type: ContentFieldType,
        isRequired: Bool = false,
        isIndexed: Bool = false,
        isSearchable: Bool = false,
        maximumLength: Int = Self.defaultLength
    ) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.isIndexed = isIndexed
        self.isSearchable = isSearchable
        self.maximumLength = maximumLength
    }
}

extension ContentField: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, type, isRequired, isIndexed, isSearchable, language, columns, maximumLength
    }

    /// Decodes a field strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let name: String = try fields.required(.name)
        guard ContentName.isFieldName(name) else { throw fields.failure(.name, ContentName.fieldProblem) }
        self.init(name, try fields.required(.type))
        isRequired = try fields.optional(.isRequired) ?? false
        isIndexed = try fields.optional(.isIndexed) ?? false
        isSearchable = try fields.optional(.isSearchable) ?? false
        guard !isIndexed || type.canBeIndexed else {
            throw fields.failure(.isIndexed, "must be false for the type \(type.rawValue)")
        }
        guard !isSearchable || type.canBeSearched else {
            throw fields.failure(.isSearchable, "must be false for the type \(type.rawValue)")
        }
        language = try fields.text(.language, ContentLanguage.length)
        guard language.map(ContentLanguage.isTag) ?? true else {
            throw fields.failure(.language, ContentLanguage.problem)
        }
        columns = try fields.optional(.columns) ?? []
        let places = type == .position ? 2 : 1
        guard columns.isEmpty || columns.count == places, columns.allSatisfy({ (1...200).contains($0.count) }) else {
            throw fields.failure(
                .columns,
                "must have \(places) name\(places == 1 ? "" : "s") of 1 through 200 characters"
            )
        }
        maximumLength = try fields.integer(.maximumLength, Self.lengths) ?? Self.defaultLength
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(name, forKey: .name)
        try fields.encode(type, forKey: .type)
        if isRequired { try fields.encode(true, forKey: .isRequired) }
        if isIndexed { try fields.encode(true, forKey: .isIndexed) }
        if isSearchable { try fields.encode(true, forKey: .isSearchable) }
        try fields.encodeIfPresent(language, forKey: .language)
        if !columns.isEmpty { try fields.encode(columns, forKey: .columns) }
        if maximumLength != Self.defaultLength { try fields.encode(maximumLength, forKey: .maximumLength) }
    }
}

/// Languages of texts (BCP 47).
enum ContentLanguage {
    static let length = 2...35
    static let problem = "must be a language tag, such as zh-Hant"

    static func isTag(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
        return parts.allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
        } && (parts.first?.allSatisfy(isLetter) ?? false)
    }
}

/// Names of content sets, tables and fields.
package enum ContentName {
    package static let fieldProblem = "must be a letter and up to 63 letters, digits and underscores"
    package static let setProblem = "must be a letter and up to 63 letters, digits, hyphens and underscores"

    package static func isFieldName(_ text: String) -> Bool { isName(text, others: "_") }

    package static func isSetName(_ text: String) -> Bool { isName(text, others: "_-") }

    private static func isName(_ text: String, others: String) -> Bool {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first else { return false }
        let isLetter = { (byte: UInt8) in (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
        return isLetter(first)
            && text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || others.utf8.contains($0) }
    }
}
