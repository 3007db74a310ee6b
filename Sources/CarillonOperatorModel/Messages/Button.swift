import CarillonModel

/// A button under a notification.
public struct Button: Hashable, Sendable, Codable {
    /// The function of a button.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case openApp
        case openURL
        case reply
        case dismiss
    }

    /// Its id in the action event: 1 through 64 letters, digits, `.`, `_` or `-`; unique in a message.
    public var id: String
    /// Its title: 1 through 64 characters.
    public var title: String
    /// Its function.
    public var kind: Kind
    /// The link of `openURL`; 1 through 1,024 characters.
    public var link: String?
    /// The placeholder of the text field, for `reply` only; 1 through 64 characters.
    public var hint: String?
    /// The title of the button that sends the text, for `reply` only; 1 through 32 characters.
    public var submit: String?

    /// Creates a button.
    ///
    /// - Parameters:
    ///   - id: Its id in the action event.
    ///   - title: Its title.
    ///   - kind: Its function.
    ///   - link: The link of `openURL`.
    public init(id: String, title: String, kind: Kind = .openApp, link: String? = nil) {
        self.id = id
        self.title = title
        self.kind = kind
        self.link = link
    }
}

extension Button {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, title, kind, link, hint, submit
    }

    /// Decodes a button strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let id = try fields.text(.id, 1...64) else { throw fields.failure(.id, "is required") }
        guard id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }) else {
            throw fields.failure(.id, "must be letters, digits, dots, underscores and hyphens")
        }
        guard let title = try fields.text(.title, ContentText.buttonTitle) else {
            throw fields.failure(.title, "is required")
        }
        self.id = id
        self.title = title
        kind = try fields.optional(.kind) ?? .openApp
        link = try fields.link(.link, sample: PersonalText.sample)
        if kind == .openURL, link == nil { throw fields.failure(.link, "is required for openURL") }
        hint = try fields.text(.hint, ContentText.buttonTitle)
        submit = try fields.text(.submit, ContentText.submit)
        guard kind == .reply || hint == nil else {
            throw fields.failure(.hint, "must be missing: the kind is not reply")
        }
        guard kind == .reply || submit == nil else {
            throw fields.failure(.submit, "must be missing: the kind is not reply")
        }
    }
}
