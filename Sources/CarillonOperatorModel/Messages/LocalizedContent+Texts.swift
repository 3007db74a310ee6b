package import CarillonModel

/// The position of a text in content, and its rule.
package struct TextPlace: Hashable, Sendable {
    /// Names and positions joined by dots, such as `buttons.0.title`.
    package var path: String
    /// What the text may be.
    var rule: ContentText

    /// Whether it is a link, in which values are percent-encoded.
    package var isLink: Bool {
        switch rule {
        case .text: false
        case .link, .media: true
        }
    }
}

/// What a text of content may be.
enum ContentText: Hashable, Sendable {
    static let title = 1...256
    static let body = 1...2_000
    static let buttonTitle = 1...64
    static let submit = 1...32
    static let image = LinkRule(only: "https")

    /// A displayed text of these lengths in characters.
    case text(ClosedRange<Int>)
    /// A URL.
    case link(LinkRule)
    /// The source of an image, video or sound.
    case media

    /// What is wrong with a text; `nil` when nothing is.
    func problem(of text: String) -> String? {
        switch self {
        case .text(let lengths): TextLimit(lengths).problem(of: text)
        case .link(let rule):
            TextLimit(LinkRule.lengths).problem(of: text) ?? rule.problem(of: PersonalText.sample(text))
        case .media: Media.problem(ofSource: text)
        }
    }
}

extension LocalizedContent {
    /// Transforms every text of the content.
    package func mapTexts<Failure: Error>(
        _ change: (String, TextPlace) throws(Failure) -> String
    ) throws(Failure) -> LocalizedContent {
        func text(_ text: String?, _ path: String, _ rule: ContentText) throws(Failure) -> String? {
            guard let text else { return nil }
            return try change(text, TextPlace(path: path, rule: rule))
        }
        var content = self
        content.title = try text(title, "title", .text(ContentText.title))
        content.subtitle = try text(subtitle, "subtitle", .text(ContentText.title))
        content.body = try text(body, "body", .text(ContentText.body))
        content.link = try text(link, "link", .link(LinkRule()))
        content.image = try text(image, "image", .link(ContentText.image))
        if let media { content.media?.source = try text(media.source, "media.source", .media) ?? media.source }
        for (index, button) in buttons.enumerated() {
            let path = "buttons.\(index)."
            let title = try text(button.title, path + "title", .text(ContentText.buttonTitle))
            content.buttons[index].title = title ?? button.title
            content.buttons[index].link = try text(button.link, path + "link", .link(LinkRule()))
            content.buttons[index].hint = try text(button.hint, path + "hint", .text(ContentText.buttonTitle))
            content.buttons[index].submit = try text(button.submit, path + "submit", .text(ContentText.submit))
        }
        content.localization = try localization?.mapArguments { argument, path throws(Failure) in
            let place = TextPlace(path: "localization.\(path)", rule: .text(Localization.argumentLengths))
            return try change(argument, place)
        }
        return content
    }

    /// Checks every text by its rule, as decoding does.
    ///
    /// - Parameter field: The path of the content in the request.
    /// - Throws: ``FieldError`` naming the text.
    func checkTexts(_ field: String) throws(FieldError) {
        _ = try mapTexts { text, place throws(FieldError) in
            if let problem = place.rule.problem(of: text) {
                throw FieldError(field: field + "." + place.path, problem: problem)
            }
            return text
        }
    }
}

extension JSONValue {
    /// Transforms every text in the value; names are unchanged.
    package func mapTexts<Failure: Error>(
        _ change: (String) throws(Failure) -> String
    ) throws(Failure) -> JSONValue {
        switch self {
        case .null, .bool, .integer, .number: return self
        case .string(let text): return .string(try change(text))
        case .array(let values):
            var changed: [JSONValue] = []
            for value in values { changed.append(try value.mapTexts(change)) }
            return .array(changed)
        case .object(let values):
            var changed: [String: JSONValue] = [:]
            for (name, value) in values { changed[name] = try value.mapTexts(change) }
            return .object(changed)
        }
    }
}
