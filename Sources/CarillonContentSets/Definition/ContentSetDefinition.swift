import CarillonModel

/// What a content set looks like: the document that an operator writes, version 1.
package struct ContentSetDefinition: Hashable, Sendable {
    /// The version of this form of the document.
    package static let version = 1
    /// Maximum number of tables.
    package static let maximumTableCount = 8
    package static let titleLength = 1...100

    /// The operator's words for it: 1 through 100 characters.
    package var title: String
    /// The IANA time zone of times without an offset.
    package var timeZone = "UTC"
    /// Language of its texts, as BCP 47 has it: the server asks sources for it.
    package var language: String?
    package var tables: [ContentTable]

    package init(title: String, timeZone: String = "UTC", language: String? = nil, tables: [ContentTable]) {
        self.title = title
        self.timeZone = timeZone
        self.language = language
        self.tables = tables
    }

    /// The languages of its texts and of its fields', each once: sources that have several answer in the first one they have.
    package var languages: [String] {
        var seen: Set<String> = []
        let all = [language] + tables.flatMap(\.fields).map(\.language)
        return all.compactMap(\.self).filter { seen.insert($0.lowercased()).inserted }
    }

    package func table(_ name: String) -> ContentTable? { tables.first { $0.name == name } }
}

extension ContentSetDefinition: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case version, title, timeZone, language, tables
    }

    /// Decodes a definition strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard try fields.integer(.version, Self.version...Self.version) != nil else {
            throw fields.failure(.version, "is required")
        }
        guard let title = try fields.text(.title, Self.titleLength) else { throw fields.failure(.title, "is required") }
        let zone: String = try fields.optional(.timeZone) ?? "UTC"
        guard LocalTime.zone(named: zone) != nil else {
            throw fields.failure(.timeZone, "must be an IANA time zone, such as Asia/Taipei")
        }
        let language = try fields.text(.language, ContentLanguage.length)
        guard language.map(ContentLanguage.isTag) ?? true else {
            throw fields.failure(.language, ContentLanguage.problem)
        }
        let tables: [ContentTable] = try fields.required(.tables)
        guard (1...Self.maximumTableCount).contains(tables.count), Set(tables.map(\.name)).count == tables.count else {
            throw fields.failure(.tables, "must be 1 through \(Self.maximumTableCount) tables of different names")
        }
        self.init(title: title, timeZone: zone, language: language, tables: tables)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(Self.version, forKey: .version)
        try fields.encode(title, forKey: .title)
        try fields.encode(timeZone, forKey: .timeZone)
        try fields.encodeIfPresent(language, forKey: .language)
        try fields.encode(tables, forKey: .tables)
    }
}
