package import CarillonModel

/// The position of a text in content.
package struct TextPlace: Hashable, Sendable {
    /// Names and positions joined by dots, such as `buttons.0.title`.
    package var path: String
    /// Whether it is a link, in which values are percent-encoded.
    package var isLink: Bool
}

extension LocalizedContent {
    /// Transforms every text of the content.
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
