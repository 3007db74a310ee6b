import CarillonModel
import CarillonOperatorModel
import Foundation

/// The fields of a message, whose names are their paths in a Campaign's request: `message.content.ko.title`.
///
/// Fields `language` have the languages in their order.
struct ContentForm: Sendable {
    /// Maximum number of buttons: iOS shows no fourth.
    static let buttonCount = 3
    /// Maximum number of languages of a form, whose fields there are a thousand of.
    static let languageCount = 60
    static let root = "message"

    let fields: FormFields

    /// The languages, the default first, each once.
    var languages: [String] {
        var languages = [Message.defaultLanguage]
        for tag in fields.values("language").map(\.trimmed) where !tag.isEmpty && !languages.contains(tag) {
            guard languages.count < Self.languageCount else { break }
            languages.append(tag)
        }
        return languages
    }

    /// Whether nobody typed anything of the content.
    var isBlank: Bool {
        languages.allSatisfy { contentJSON($0).isEmpty } && !isSilent && text("template") == nil
    }

    var isSilent: Bool { flag("silent", standard: false) }

    /// A field of the message; `nil` when it is empty.
    func text(_ path: String) -> String? {
        let text = fields.text("\(Self.root).\(path)")
        return text.trimmed.isEmpty ? nil : text
    }

    /// A box that is ticked; forms without the field have the standard.
    func flag(_ name: String, standard: Bool) -> Bool {
        let values = fields.values("\(Self.root).\(name)")
        return values.isEmpty ? standard : values.contains("true")
    }

    // MARK: JSON

    /// The message as the API reads it; its data is a text when it is no JSON, so that reading it says so.
    var json: JSONValue {
        var message: [String: JSONValue] = [:]
        if !isSilent {
            var content: [String: JSONValue] = [:]
            for tag in languages {
                let one = contentJSON(tag)
                if !one.isEmpty || tag == Message.defaultLanguage { content[tag] = .object(one) }
            }
            message["content"] = .object(content)
        }
        for name in ["sound", "thread", "category", "priority", "interruptionLevel", "collapseID"] {
            message[name] = text(name).map(JSONValue.string)
        }
        message["badge"] = text("badge").map { Self.number($0.trimmed) }
        message["expiresIn"] = text("expiresIn").map { Self.number($0.trimmed) }
        if let data = text("data") { message["data"] = Self.read(data) ?? .string(data) }
        for (name, standard) in Self.flags {
            let isOn = flag(name, standard: standard)
            if isOn != standard { message[name] = .bool(isOn) }
        }
        return .object(message)
    }

    /// The boxes of a message with what holds without them.
    static let flags = [
        ("collapses", true), ("silent", false), ("wakesApp", false), ("isSurvey", false), ("isHTML", false),
        ("isLiteral", false),
    ]

    /// A whole number, or the text that is none; `+1` is a text.
    private static func number(_ text: String) -> JSONValue {
        guard text.first != "+", let number = Int64(text) else { return .string(text) }
        return .integer(number)
    }

    static func read(_ text: String) -> JSONValue? { try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

    /// A language's content; empty when nothing is typed.
    func contentJSON(_ tag: String) -> [String: JSONValue] {
        let path = "content.\(tag)"
        var content = texts(path, ["title", "subtitle", "body", "link", "image", "launchImage"])
        let media = texts(path + ".media", ["kind", "source"])
        if media["source"] != nil { content["media"] = .object(media) }
        let buttons = (0..<Self.buttonCount).compactMap { button("\(path).buttons.\($0)", $0) }
        if !buttons.isEmpty { content["buttons"] = .array(buttons) }
        var localization = texts(path + ".localization", ["action"])
        for name in ["title", "subtitle", "body"] {
            guard var line = line(path + ".localization." + name) else { continue }
            if let arguments = text("\(path).localization.\(name).arguments") {
                let lines = arguments.split(separator: "\n").map { JSONValue.string(String($0)) }
                line["arguments"] = .array(lines)
            }
            localization[name] = .object(line)
        }
        if !localization.isEmpty { content["localization"] = .object(localization) }
        return content
    }

    // MARK: - Private

    private func texts(_ path: String, _ names: [String]) -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for name in names { found[name] = text("\(path).\(name)").map(JSONValue.string) }
        return found
    }

    private func line(_ path: String) -> [String: JSONValue]? {
        text(path + ".key").map { ["key": .string($0.trimmed)] }
    }

    /// A button; one without an id gets that of its place.
    private func button(_ path: String, _ place: Int) -> JSONValue? {
        var button = texts(path, ["id", "title", "link", "hint", "submit"])
        guard !button.isEmpty else { return nil }
        button["kind"] = text(path + ".kind").map(JSONValue.string)
        button["id"] = button["id"] ?? .string("button-\(place + 1)")
        return .object(button)
    }
}

extension ContentForm {
    /// The fields that show a message.
    init(_ message: Message) {
        var all: [(name: String, value: String)] = []
        func add(_ path: String, _ value: String?) {
            if let value { all.append(("\(Self.root).\(path)", value)) }
        }
        for tag in message.content.keys.sorted(by: Self.order) {
            all.append(("language", tag))
            guard let content = message.content[tag] else { continue }
            Self.add(content, "content.\(tag)", add)
        }
        add("sound", message.sound)
        add("badge", message.badge?.text)
        add("thread", message.thread)
        add("category", message.category)
        add("data", message.data.isEmpty ? nil : Self.pretty(JSONValue.object(message.data)))
        add("priority", message.priority?.rawValue)
        add("expiresIn", message.expiresIn.map(String.init))
        add("interruptionLevel", message.interruptionLevel?.rawValue)
        add("collapseID", message.collapseID)
        add("collapses", String(message.collapses))
        // A message that nobody wrote yet is stored as a silent one.
        add("silent", String(message.silent && !message.isUnwritten))
        add("wakesApp", String(message.wakesApp))
        add("isSurvey", String(message.isSurvey))
        add("isHTML", String(message.isHTML))
        add("isLiteral", String(message.isLiteral))
        fields = FormFields(all)
    }

    /// The default first, the others by name.
    static func order(_ one: String, _ other: String) -> Bool {
        (one == Message.defaultLanguage ? "" : one) < (other == Message.defaultLanguage ? "" : other)
    }

    static func pretty(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func add(_ content: LocalizedContent, _ path: String, _ add: (String, String?) -> Void) {
        add(path + ".title", content.title)
        add(path + ".subtitle", content.subtitle)
        add(path + ".body", content.body)
        add(path + ".link", content.link)
        add(path + ".image", content.image)
        add(path + ".media.kind", content.media?.kind.rawValue)
        add(path + ".media.source", content.media?.source)
        add(path + ".launchImage", content.launchImage)
        for (place, button) in content.buttons.enumerated() {
            let path = "\(path).buttons.\(place)"
            add(path + ".id", button.id)
            add(path + ".title", button.title)
            add(path + ".kind", button.kind.rawValue)
            add(path + ".link", button.link)
            add(path + ".hint", button.hint)
            add(path + ".submit", button.submit)
        }
        let lines = [
            ("title", content.localization?.title), ("subtitle", content.localization?.subtitle),
            ("body", content.localization?.body),
        ]
        for (name, line) in lines {
            guard let line else { continue }
            add("\(path).localization.\(name).key", line.key)
            add("\(path).localization.\(name).arguments", line.arguments.joined(separator: "\n"))
        }
        add(path + ".localization.action", content.localization?.action)
    }
}

extension Message {
    /// Whether it stands for one that nobody has written yet.
    var isUnwritten: Bool {
        var blank = Message(content: [:])
        blank.silent = true
        return self == blank
    }
}

extension Badge {
    /// As it is typed.
    fileprivate var text: String {
        switch self {
        case .count(let count): String(count)
        case .increment(let step): "+\(step)"
        }
    }
}
