/// An image, video or sound of a notification.
public struct Media: Hashable, Sendable, Codable {
    /// The kind of media.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// An image of at most 10 MB.
        case image
        /// A video of at most 50 MB.
        case video
        /// A sound of at most 5 MB.
        case audio
    }

    /// The kind of media.
    public var kind: Kind
    /// An `https` URL of at most 1,024 characters, or the full name of a file in the app, of at most 128.
    public var source: String

    /// Creates media.
    ///
    /// - Parameters:
    ///   - kind: The kind of media.
    ///   - source: An `https` URL, or the full name of a file in the app.
    public init(kind: Kind, source: String) {
        self.kind = kind
        self.source = source
    }
}

extension Media {
    enum CodingKeys: CodingKey {
        case kind, source
    }

    /// Decodes media strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        kind = try fields.required(.kind)
        source = try fields.required(.source)
        if let problem = Self.problem(ofSource: source) { throw fields.failure(.source, problem) }
    }

    /// What is wrong with a source; `nil` when nothing is.
    ///
    /// A source with a colon is a URL; no file name in an app has one.
    package static func problem(ofSource source: String) -> String? {
        if source.contains(":") {
            return TextLimit(LinkRule.lengths).problem(of: source) ?? LinkRule(only: "https").problem(of: source)
        }
        if let problem = TextLimit(1...128).problem(of: source) { return problem }
        guard source.contains("/") || source == "." || source == ".." else { return nil }
        return "must be an https URL or the full name of a file in the app"
    }
}
