package import CarillonModel

/// Where a text stands in content.
package struct TextPlace: Hashable, Sendable {
    /// Names and positions joined by dots, as `buttons.0.title`.
    package var path: String
    /// Whether it is a link: what is filled in is percent-encoded.
    package var isLink: Bool
}

extension LocalizedContent {
    /// The content with every text of it changed.
    package func mapTexts<Failure: Error>(
        _ change: (String, TextPlace) throws(Failure) -> String
    ) throws(Failure) -> LocalizedContent {
        func text(_ text: String?, _ path: String, isLink: Bool = false) throws(Failure) -> String? {
            guard let text else { return nil }
            return try change(text, TextPlace(path: path, isLink: isLink))
        }
        var content = self
        content.title = try text(title, "title")
        content.subtitle = try text(subtitle, "subtitle")
        content.body = try text(body, "body")
        content.link = try text(link, "link", isLink: true)
        content.image = try text(image, "image", isLink: true)
        if let media { content.media?.source = try text(media.source, "media.source", isLink: true) ?? media.source }
        for (index, button) in buttons.enumerated() {
            let path = "buttons.\(index)."
            content.buttons[index].title = try text(button.title, path + "title") ?? button.title
            content.buttons[index].link = try text(button.link, path + "link", isLink: true)
            content.buttons[index].hint = try text(button.hint, path + "hint")
            content.buttons[index].submit = try text(button.submit, path + "submit")
        }
        return content
    }
}

extension JSONValue {
    /// The value with every text in it changed; names stay.
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
