extension Payload {
    /// What a notification shows.
    ///
    /// Source: "Generating a remote notification", table 2.
    public struct Alert: Hashable, Sendable {
        /// The first line.
        public var title: Text?
        /// The second line.
        public var subtitle: Text?
        /// The text.
        public var body: Text?
        /// The image or storyboard that is shown while the app starts from this notification.
        public var launchImage: String?
        /// The key of the label of the button that opens the app, in the app's strings file; iOS before 10 shows it.
        public var actionKey: String?
        /// Writes a body that stands alone as a text and not as a dictionary, for apps that read it as a text.
        ///
        /// A localized body is always written as a dictionary.
        public var prefersText = false

        /// Makes an alert of lines; each may be absent.
        ///
        /// - Parameters:
        ///   - title: The first line.
        ///   - subtitle: The second line.
        ///   - body: The text.
        public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
            self.title = title.map(Text.literal)
            self.subtitle = subtitle.map(Text.literal)
            self.body = body.map(Text.literal)
        }

        /// Makes an alert of lines that the app may translate; each may be absent.
        ///
        /// - Parameters:
        ///   - title: The first line.
        ///   - subtitle: The second line.
        ///   - body: The text.
        ///   - launchImage: The image or storyboard that is shown while the app starts.
        public init(title: Text?, subtitle: Text?, body: Text?, launchImage: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
            self.launchImage = launchImage
        }
    }

    /// A line of an alert: as it is, or as the name of one that the app holds in the device's language.
    public enum Text: Hashable, Sendable, ExpressibleByStringInterpolation {
        /// Shown as it is.
        case literal(String)
        /// Looked up in the app's strings file; the arguments take the places of `%@` and `%n$@` in it.
        ///
        /// A literal may stand beside the key, for an app that reads the payload by itself; the system prefers the key.
        case localized(key: String, arguments: [String] = [], literal: String? = nil)

        /// Shown as it is.
        public init(stringLiteral value: String) { self = .literal(value) }

        /// Shown as it is.
        public init(_ text: some StringProtocol) { self = .literal(String(text)) }
    }
}

extension Payload.Alert {
    var value: PayloadValue {
        if prefersText, let line = onlyBody { return .string(line) }
        var members =
            Self.members(of: title, "title") + Self.members(of: subtitle, "subtitle") + Self.members(of: body, "body")
        if let actionKey { members.append(.init("action-loc-key", .string(actionKey))) }
        if let launchImage { members.append(.init("launch-image", .string(launchImage))) }
        return .object(members)
    }

    /// The body, where there is nothing else and it is a literal.
    private var onlyBody: String? {
        guard case .literal(let line)? = body, title == nil, subtitle == nil, launchImage == nil, actionKey == nil
        else {
            return nil
        }
        return line
    }

    /// Apple names the keys of a localized line after its literal, `title-loc-key`, but for the body's: `loc-key`.
    private static func members(of text: Payload.Text?, _ name: String) -> [PayloadValue.Member] {
        let prefix = name == "body" ? "" : name + "-"
        switch text {
        case nil: return []
        case .literal(let line): return [.init(name, .string(line))]
        case .localized(let key, let arguments, let literal):
            var members = literal.map { [PayloadValue.Member(name, .string($0))] } ?? []
            members.append(.init(prefix + "loc-key", .string(key)))
            if !arguments.isEmpty {
                members.append(.init(prefix + "loc-args", .array(arguments.map(PayloadValue.string))))
            }
            return members
        }
    }
}
