import CarillonModel
import Foundation

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
    /// Language of its texts, as BCP 47 has it.
    package var language: String?
    package var tables: [ContentTable]
    /// Where the server fetches it; `nil` when files are sent to it only.
    package var source: ContentSource?

    package init(title: String, timeZone: String = "UTC", language: String? = nil, tables: [ContentTable]) {
        self.title = title
        self.timeZone = timeZone
        self.language = language
        self.tables = tables
    }

    package func table(_ name: String) -> ContentTable? { tables.first { $0.name == name } }
}

extension ContentSetDefinition: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case version, title, timeZone, language, tables, source
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
        guard zone.utf8.count <= 64, TimeZone(identifier: zone) != nil else {
            throw fields.failure(.timeZone, "must be an IANA time zone, such as Asia/Taipei")
        }
        let language = try fields.text(.language, 2...35)
        let tables: [ContentTable] = try fields.required(.tables)
        guard (1...Self.maximumTableCount).contains(tables.count), Set(tables.map(\.name)).count == tables.count else {
            throw fields.failure(.tables, "must be 1 through \(Self.maximumTableCount) tables of different names")
        }
        self.init(title: title, timeZone: zone, language: language, tables: tables)
        source = try fields.optional(.source)
        if let name = source?.table, table(name) == nil {
            throw fields.failure(.source, "must name one of the tables")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(Self.version, forKey: .version)
        try fields.encode(title, forKey: .title)
        try fields.encode(timeZone, forKey: .timeZone)
        try fields.encodeIfPresent(language, forKey: .language)
        try fields.encode(tables, forKey: .tables)
        try fields.encodeIfPresent(source, forKey: .source)
    }
}

/// A file on the Internet that the server imports again and again.
package struct ContentSource: Hashable, Sendable {
    /// An https address.
    package var url: String
    package var format: ContentFormat
    /// The table that it fills, for formats of one table; `nil` for the only one.
    package var table: String?
    /// Minutes between two fetches: 5 through 10,080 (a week).
    package var everyMinutes = 60

    package static let minutes = 5...10_080

    package init(url: String, format: ContentFormat, table: String? = nil, everyMinutes: Int = 60) {
        self.url = url
        self.format = format
        self.table = table
        self.everyMinutes = everyMinutes
    }
}

extension ContentSource: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case url, format, table, everyMinutes
    }

    /// Decodes a source strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let url = try fields.text(.url, 9...2_000) else { throw fields.failure(.url, "is required") }
        guard url.lowercased().hasPrefix("https://"), let parts = URLComponents(string: url),
            parts.host?.isEmpty == false,
            parts.user == nil, parts.password == nil
        else { throw fields.failure(.url, "must be an absolute address that begins with https://") }
        self.init(
            url: url,
            format: try fields.required(.format),
            table: try fields.optional(.table),
            everyMinutes: try fields.integer(.everyMinutes, Self.minutes) ?? 60
        )
    }
}
