import CarillonModel
import CarillonOperatorModel
import Foundation

extension ContentForm {
    /// A request of which only the message is read, so that problems have its path.
    private struct Wrapped: Decodable {
        var message: Message
    }

    /// The same with one language's content alone.
    private struct WrappedContent: Decodable {
        struct Part: Decodable {
            var content: [String: LocalizedContent]
        }

        var message: Part
    }

    /// Reads the message as the API does.
    ///
    /// - Returns: The message, or what is wrong with it, at most one problem a language.
    func read() -> Result<Message, FieldErrors> { Self.read(json, languages) }

    /// Reads a message that somebody wrote as JSON.
    static func read(json text: String) -> Result<Message, FieldErrors> {
        guard let value = read(text) else { return .failure(FieldErrors([FieldError(field: "json", problem: "")])) }
        return read(value, value["content"]?.object?.keys.sorted(by: order) ?? [])
    }

    /// The message as far as it can be shown, whatever is wrong with it.
    var shown: Message {
        if case .success(let message) = read() { return message }
        var message = Message(content: [:])
        for tag in languages {
            var content = LocalizedContent(title: text("content.\(tag).title"), body: text("content.\(tag).body"))
            content.subtitle = text("content.\(tag).subtitle")
            content.link = text("content.\(tag).link")
            content.image = text("content.\(tag).image")
            content.buttons = (0..<Self.buttonCount).compactMap { place in
                let path = "content.\(tag).buttons.\(place)"
                guard let title = text(path + ".title") else { return nil }
                let kind = text(path + ".kind").flatMap(Button.Kind.init(rawValue:)) ?? .openApp
                var button = Button(id: text(path + ".id") ?? "button-\(place + 1)", title: title, kind: kind)
                button.link = text(path + ".link")
                button.hint = text(path + ".hint")
                button.submit = text(path + ".submit")
                return button
            }
            message.content[tag] = content
        }
        return message
    }

    /// Why a message cannot be read.
    struct FieldErrors: Error, Hashable {
        let all: [FieldError]

        init(_ all: [FieldError]) { self.all = all }
    }

    // MARK: - Private

    private static func read(_ message: JSONValue, _ languages: [String]) -> Result<Message, FieldErrors> {
        var errors: [FieldError] = []
        for tag in languages {
            guard let content = message["content"]?[tag] else { continue }
            // The default needs a text only together with the others.
            let one: JSONValue = .object(["message": .object(["content": .object([tag: content])])])
            if content.object?.isEmpty == true { continue }
            if let error = error(WrappedContent.self, one) { errors.append(error) }
        }
        guard errors.isEmpty else { return .failure(FieldErrors(errors)) }
        do {
            let bytes = try JSONEncoder().encode(JSONValue.object(["message": message]))
            return .success(try JSONDecoder().decode(Wrapped.self, from: bytes).message)
        } catch {
            return .failure(FieldErrors([fieldError(error)]))
        }
    }

    private static func error<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) -> FieldError? {
        do {
            _ = try JSONDecoder().decode(type, from: try JSONEncoder().encode(value))
            return nil
        } catch {
            return fieldError(error)
        }
    }

    private static func fieldError(_ error: any Error) -> FieldError {
        if let error = error as? FieldError { return error }
        guard let error = error as? DecodingError else { return FieldError(field: root, problem: "") }
        let found = FieldError(error)
        return found.field.isEmpty ? FieldError(field: root, problem: found.problem) : found
    }
}
