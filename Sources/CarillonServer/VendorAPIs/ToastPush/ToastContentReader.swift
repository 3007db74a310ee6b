import CarillonModel
import CarillonOperatorModel
import Foundation

/// The `content` of a send, as the JSON of V1's message.
///
/// Words of other platforms are dropped, as the vendor does; the receipt's words are the server's own.
struct ToastContentReader {
    /// Of other platforms, and of the server.
    private static let dropped: Set<String> = [
        "consolidationKey", "expiresAfter", "notification", "content_available", "mutable_content", "mutable-content",
        "messageDeliveryReceipt", "messageDeliveryReceiptData",
    ]
    private static let own: Set<String> = [
        "title", "body", "badge", "sound", "category", "clickAction", "style", "richMessage",
        "title-loc-key", "title-loc-args", "action-loc-key", "loc-key", "loc-args", "launch-image", "content-available",
    ]

    let content: ToastFields

    init(_ content: ToastFields) { self.content = content }

    /// The members of the message.
    func message() throws -> [String: JSONValue] {
        guard let standard = try content.inner("default") else { throw content.failure(.empty, "default") }
        try checkLength()
        var message: [String: JSONValue] = ["isLiteral": .bool(true)]
        var texts: [String: JSONValue] = [:]
        var isHTML = false
        for language in content.object.keys.sorted() {
            guard let fields = try content.inner(language) else { continue }
            if language != "default" { try checkShared(fields, with: standard) }
            isHTML = try isHTML || fields.inner("style")?["useHtmlStyle"]?.bool == true
            texts[language] = .object(try localized(fields))
        }
        message["content"] = .object(texts)
        message["isHTML"] = .bool(isHTML)
        message["badge"] = try standard.integer("badge", 0...99_999).map { .integer(Int64($0)) }
        message["sound"] = try standard.text("sound").map(JSONValue.string)
        message["category"] = try standard.text("category").map(JSONValue.string)
        message["wakesApp"] = .bool(try wakesApp(standard))
        let data = standard.object.filter { !Self.own.contains($0.key) && !Self.dropped.contains($0.key) }
        if !data.isEmpty { message["data"] = .object(data) }
        return message
    }

    // MARK: - Private

    private func checkLength() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let text = String(decoding: try encoder.encode(JSONValue.object(content.object)), as: UTF8.self)
        guard text.count <= ToastMessageReader.contentLimit else {
            throw ToastFailure(
                .maximumExceeded,
                "content",
                problem: "at most \(ToastMessageReader.contentLimit) characters"
            )
        }
    }

    /// Checks that a language has no value of its own where a message has one for all.
    private func checkShared(_ fields: ToastFields, with standard: ToastFields) throws {
        let localized: Set = [
            "title", "body", "clickAction", "style", "richMessage", "title-loc-key", "title-loc-args", "action-loc-key",
            "loc-key", "loc-args", "launch-image",
        ]
        for (name, value) in fields.object where !localized.contains(name) && !Self.dropped.contains(name) {
            guard value != .null, value != standard[name] else { continue }
            throw ToastFailure(.invalid, fields.path + name, problem: "it must be the same in all languages")
        }
    }

    private func localized(_ fields: ToastFields) throws -> [String: JSONValue] {
        var content: [String: JSONValue] = [:]
        content["title"] = try fields.text("title").map(JSONValue.string)
        content["body"] = try fields.text("body").map(JSONValue.string)
        content["link"] = try fields.text("clickAction").map(JSONValue.string)
        content["launchImage"] = try fields.text("launch-image").map(JSONValue.string)
        content["localization"] = try localization(fields)
        guard let rich = try fields.inner("richMessage") else { return content }
        if let media = try rich.inner("iosMedia") ?? rich.inner("media") {
            content["media"] = .object(try self.media(media))
        }
        guard let buttons = rich["buttons"] else { return content }
        guard let list = buttons.array else { throw rich.failure(.malformed, "buttons") }
        content["buttons"] = .array(
            try list.enumerated().map { index, button in
                guard let object = button.object else { throw rich.failure(.malformed, "buttons") }
                let path = "\(rich.path)buttons.\(index)."
                return .object(try self.button(ToastFields(object, path: path, version: rich.version), index))
            }
        )
        return content
    }

    /// Keys of texts in the app; `nil` where there are none.
    private func localization(_ fields: ToastFields) throws -> JSONValue? {
        var keys: [String: JSONValue] = [:]
        keys["title"] = try line(fields, "title-loc-key", "title-loc-args")
        keys["body"] = try line(fields, "loc-key", "loc-args")
        keys["action"] = try fields.text("action-loc-key").map(JSONValue.string)
        return keys.isEmpty ? nil : .object(keys)
    }

    private func line(_ fields: ToastFields, _ key: String, _ arguments: String) throws -> JSONValue? {
        let texts = try fields.texts(arguments)
        guard let text = try fields.text(key) else {
            guard texts == nil else { throw fields.failure(.empty, key) }
            return nil
        }
        return .object(["key": .string(text), "arguments": .array((texts ?? []).map(JSONValue.string))])
    }

    /// Apple's `content-available`: the vendor's examples have it as a text.
    private func wakesApp(_ fields: ToastFields) throws -> Bool {
        switch fields["content-available"] {
        case nil, .integer(0), .string("0"): false
        case .integer(1), .string("1"): true
        default: throw fields.failure(.malformed, "content-available")
        }
    }

    private enum MediaType: String, CaseIterable {
        case image = "IMAGE", gif = "GIF", video = "VIDEO", misprint = "VEDIO", audio = "AUDIO"
    }

    private func media(_ fields: ToastFields) throws -> [String: JSONValue] {
        guard let source = try fields.text("source") else { throw fields.failure(.empty, "source") }
        let kind: Media.Kind =
            switch try fields.word("mediaType", MediaType.self) {
            case .image, .gif, nil: .image
            case .video, .misprint: .video
            case .audio: .audio
            }
        return ["kind": .string(kind.rawValue), "source": .string(source)]
    }

    private enum ButtonType: String, CaseIterable {
        case reply = "REPLY", deepLink = "DEEP_LINK", openApp = "OPEN_APP", openURL = "OPEN_URL", dismiss = "DISMISS"
    }

    private func button(_ fields: ToastFields, _ index: Int) throws -> [String: JSONValue] {
        guard let name = try fields.text("name") else { throw fields.failure(.empty, "name") }
        guard let type = try fields.word("buttonType", ButtonType.self) else {
            throw fields.failure(.empty, "buttonType")
        }
        var button: [String: JSONValue] = ["id": .string("button\(index + 1)"), "title": .string(name)]
        switch type {
        case .openApp: button["kind"] = .string(Button.Kind.openApp.rawValue)
        case .dismiss: button["kind"] = .string(Button.Kind.dismiss.rawValue)
        case .openURL, .deepLink:
            button["kind"] = .string(Button.Kind.openURL.rawValue)
            button["link"] = try fields.text("link").map(JSONValue.string)
        case .reply:
            button["kind"] = .string(Button.Kind.reply.rawValue)
            button["hint"] = try fields.text("hint").map(JSONValue.string)
            button["submit"] = try fields.text("submitName").map(JSONValue.string)
        }
        return button
    }
}
