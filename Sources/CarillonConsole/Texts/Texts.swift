import Mustache

/// The texts of a page in its language.
///
/// A template shows one by its key, `{{texts.home.title}}`; a view makes one with parameters,
/// `texts("audience.devices", count: 3)`. A test finds keys that a catalogue lacks, in templates and in sources.
struct Texts: Sendable {
    /// The language.
    let language: Language
    private let texts: [String: String]
    private let numbers: NumberText

    /// Creates the texts of a language.
    init(_ language: Language, _ catalogue: Catalogue) {
        self.language = language
        texts = catalogue.texts
        numbers = NumberText(language)
    }

    /// A text.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - parameters: The values of the names in braces.
    /// - Returns: The text; the key in brackets when the catalogue lacks it.
    func callAsFunction(_ key: String, _ parameters: [String: String] = [:]) -> String {
        guard let text = texts[key] else { return "⟦\(key)⟧" }
        return Self.filled(text, parameters)
    }

    /// A text that depends on a number, which is its `{count}`.
    func callAsFunction(_ key: String, count: Int, _ parameters: [String: String] = [:]) -> String {
        let parameters = parameters.merging(["count": numbers.full(count)]) { $1 }
        let form = language.hasSingular && count == 1 ? ".one" : ".other"
        return self(key + form, parameters)
    }

    /// The text of a word, such as a state: the key `group.word`; the word itself when the catalogue lacks it.
    func word(_ group: String, _ word: String) -> String { texts[group + "." + word] ?? word }

    private static func filled(_ text: String, _ parameters: [String: String]) -> String {
        guard !parameters.isEmpty else { return text }
        var filled = ""
        var rest = text[...]
        // One pass: a value with braces is no parameter.
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: start)..<end])
            filled += rest[..<start]
            filled += parameters[name] ?? "{\(name)}"
            rest = rest[rest.index(after: end)...]
        }
        return filled + rest
    }
}

extension Texts: MustacheParent {
    func child(named name: String) -> Any? { TextPath(texts: texts, key: name) }
}

/// A key, or the beginning of one, in a template.
private struct TextPath: MustacheParent, MustacheCustomRenderable {
    let texts: [String: String]
    let key: String

    func child(named name: String) -> Any? { TextPath(texts: texts, key: key + "." + name) }

    var renderText: String { texts[key] ?? "⟦\(key)⟧" }
    var isNull: Bool { texts[key] == nil }
}

extension Language {
    /// Whether one thing has another form than several.
    var hasSingular: Bool { self == .english || self == .pseudo }
}
