import CarillonModel

/// What Korean law requires in an ad beside its content: the sender and how to withdraw the consent.
///
/// It is added for phones whose language is Korean, together with `(광고)`; others get the content alone.
public struct AdWording: Hashable, Sendable, Codable {
    /// Where `(광고)` and the contact are placed.
    public enum Position: String, Hashable, Sendable, Codable, CaseIterable {
        /// `(광고) title contact`, and the guide under the body.
        case title
        /// The title is unchanged; `(광고) contact`, the body and the guide are lines of the body.
        case body
    }

    /// The sender's telephone number: 1 through 32 digits and hyphens.
    public var contact: String
    /// How to withdraw the consent: 1 through 128 characters.
    public var removeGuide: String
    /// Where `(광고)` and the contact are placed; the App's own position when missing.
    public var position: Position?

    /// Creates the wording.
    ///
    /// - Parameters:
    ///   - contact: 1 through 32 digits and hyphens.
    ///   - removeGuide: How to withdraw the consent, 1 through 128 characters.
    ///   - position: Where `(광고)` and the contact are placed; `nil` for the App's own position.
    public init(contact: String, removeGuide: String, position: Position? = nil) {
        self.contact = contact
        self.removeGuide = removeGuide
        self.position = position
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case contact, removeGuide, position
    }

    /// Decodes the wording strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let contact = try fields.text(.contact, 1...32) else { throw fields.failure(.contact, "is required") }
        guard contact.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }) else {
            throw fields.failure(.contact, "must be digits and hyphens")
        }
        guard let guide = try fields.text(.removeGuide, 1...128) else {
            throw fields.failure(.removeGuide, "is required")
        }
        guard !PersonalText.mayHavePlaces(guide) else {
            throw fields.failure(.removeGuide, "must be the same for everybody, without {{")
        }
        self.contact = contact
        removeGuide = guide
        position = try fields.optional(.position)
    }
}

extension AdWording {
    /// The mark of an ad, in exactly this form.
    static let mark = "(광고)"

    /// The content with the mark, the contact and the guide, for a phone whose language is Korean.
    ///
    /// - Parameters:
    ///   - content: The message's content.
    ///   - standard: The position, unless the wording has its own.
    /// - Returns: The content with the mark, the contact and the guide.
    package func applied(to content: LocalizedContent, standard: Position) -> LocalizedContent {
        var worded = content
        // iOS would show the app's own texts, without the mark.
        worded.localization = nil
        switch position ?? standard {
        case .title:
            worded.title = [Self.mark, content.title, contact].compactMap(\.self).joined(separator: " ")
            worded.body = [content.body, removeGuide].compactMap(\.self).joined(separator: "\n")
        case .body:
            worded.body = [Self.mark + " " + contact, content.body, removeGuide].compactMap(\.self)
                .joined(separator: "\n")
        }
        return worded
    }

    /// The contents as phones whose language is Korean get them in an ad, for phones in Korean alone.
    ///
    /// A message that is sent as no ad carries the labels so.
    ///
    /// - Parameters:
    ///   - contents: The contents by language.
    ///   - standard: The position, unless the wording has its own.
    /// - Returns: The contents, with one for `ko` in any case.
    package func applied(
        to contents: [String: LocalizedContent],
        standard: Position
    ) -> [String: LocalizedContent] {
        let message = Message(content: contents)
        var applied = contents
        var korean = Set(contents.keys.filter { App.AdRule.korean.covers(language: $0) })
        if message.language(for: "ko") == Message.defaultLanguage { korean.insert("ko") }
        for tag in korean {
            let key = message.language(for: tag) ?? Message.defaultLanguage
            guard let content = message.localized(key) else { continue }
            applied[tag] = self.applied(to: content, standard: standard)
        }
        return applied
    }
}
