/// Content before it meets a Device, with how it is to be delivered.
public struct Message: Hashable, Sendable, Codable {
    /// How urgently Apple delivers.
    public enum Priority: String, Hashable, Sendable, Codable, CaseIterable {
        /// At once; Apple's 10.
        case high
        /// With regard to the phone's battery; Apple's 5.
        case normal
        /// Battery above all, the phone is never woken; Apple's 1.
        case low
    }

    /// How much a notification may interrupt.
    public enum InterruptionLevel: String, Hashable, Sendable, Codable, CaseIterable {
        case passive
        case active
        case timeSensitive = "time-sensitive"
        case critical
    }

    /// The content by language: BCP 47 tags as `ja` or `zh-Hant`, and ``defaultLanguage`` for all others.
    ///
    /// 1 through 64 languages with `default` among them; empty only when ``silent``.
    public var content: [String: LocalizedContent]
    /// Name of a sound file in the app, or `default`; 1 through 128 characters.
    ///
    /// Missing: no sound.
    public var sound: String?
    /// The number on the app's icon, 0 through 99,999; 0 takes it away, missing leaves it alone.
    public var badge: Int?
    /// Groups notifications on the phone; 1 through 64 characters.
    public var thread: String?
    /// A category that the app registered, 1 through 64 characters; missing: Carillon's own, which reports dismissal.
    public var category: String?
    /// The App's own data: peers of `aps` in the payload.
    ///
    /// At most 64 names, none of them `aps` or `carillon`.
    public var data: [String: JSONValue]
    /// How urgently Apple delivers; missing: `high`, or `normal` when silent (Apple refuses `high` there).
    public var priority: Priority?
    /// How long Apple tries to deliver, in seconds, 0 (now or never) through 2,592,000 (30 days).
    public var expiresIn: Int?
    /// How much it may interrupt.
    public var interruptionLevel: InterruptionLevel?
    /// Notifications of one collapse id replace each other on the phone; 1 through 64 bytes of UTF-8.
    ///
    /// Missing: the
    /// Occurrence's id, so that a repeated delivery replaces its first copy.
    public var collapseID: String?
    /// False forbids a collapse id altogether; a repeat after a fault may then be seen twice.
    public var collapses: Bool
    /// True wakes the app without showing anything; there is no content then.
    public var silent: Bool
    /// True when the link leads to a survey, which the app shows in a window of its own.
    ///
    /// Every language has a link then, with a query and without a fragment: the phone appends to it.
    public var isSurvey: Bool

    /// What ``content`` calls the fallback for languages it does not have.
    public static let defaultLanguage = "default"

    /// Makes a message of one language; the rest is set field by field.
    ///
    /// - Parameter content: The content by language.
    public init(content: [String: LocalizedContent]) {
        self.content = content
        data = [:]
        collapses = true
        silent = false
        isSurvey = false
    }

    /// The content for a phone's language: the exact tag, then shorter and shorter tags, then the default.
    ///
    /// - Parameter language: The phone's BCP 47 tag; case and `_` for `-` do not matter.
    /// - Returns: The key of ``content`` to use; `nil` when the message is silent.
    public func language(for language: String?) -> String? {
        var tag = LanguageTag.normalized(language ?? "")
        let known = Dictionary(content.keys.map { (LanguageTag.normalized($0), $0) }) { first, _ in first }
        while !tag.isEmpty {
            if let key = known[tag] { return key }
            tag = LanguageTag.shortened(tag)
        }
        return content[Self.defaultLanguage] == nil ? nil : Self.defaultLanguage
    }
}

/// What a notification says, in one language.
public struct LocalizedContent: Hashable, Sendable, Codable {
    /// 1 through 256 characters.
    public var title: String?
    /// 1 through 256 characters.
    public var subtitle: String?
    /// 1 through 2,000 characters.
    public var body: String?
    /// Where a tap leads: a URL of any scheme but `javascript`, `data` and `file`; 1 through 1,024 characters.
    public var link: String?
    /// An `https` URL of a picture of at most 10 MB; 1 through 1,024 characters.
    ///
    /// The short form of ``media``; a message has one of them at most.
    public var image: String?
    /// A picture, video or sound to show with it.
    public var media: Media?
    /// At most three.
    public var buttons: [Button]

    /// Makes content.
    ///
    /// - Parameters:
    ///   - title: The title, 1 through 256 characters.
    ///   - body: The text, 1 through 2,000 characters.
    public init(title: String? = nil, body: String? = nil) {
        self.title = title
        self.body = body
        buttons = []
    }
}

/// A picture, video or sound that a notification shows.
public struct Media: Hashable, Sendable, Codable {
    /// What it is.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A picture of at most 10 MB.
        case image
        /// A video of at most 50 MB.
        case video
        /// A sound of at most 5 MB.
        case audio
    }

    /// What it is.
    public var kind: Kind
    /// Where it is: an `https` URL of at most 1,024 characters, or the full name of a file in the app, of at most 128.
    public var source: String

    /// Makes media.
    ///
    /// - Parameters:
    ///   - kind: What it is.
    ///   - source: An `https` URL, or the full name of a file in the app.
    public init(kind: Kind, source: String) {
        self.kind = kind
        self.source = source
    }
}

/// A button under a notification.
public struct Button: Hashable, Sendable, Codable {
    /// What a button does.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case openApp
        case openURL
        case reply
        case dismiss
    }

    /// What the action event calls it: 1 through 64 letters, digits, `.`, `_` or `-`; each once in a message.
    public var id: String
    /// What it shows: 1 through 64 characters.
    public var title: String
    /// What it does.
    public var kind: Kind
    /// Where `openURL` leads; 1 through 1,024 characters.
    public var link: String?
    /// What an empty text field shows, for `reply` only; 1 through 64 characters.
    public var hint: String?
    /// What the button that sends the text shows, for `reply` only; 1 through 32 characters.
    public var submit: String?

    /// Makes a button.
    ///
    /// - Parameters:
    ///   - id: What the action event calls it.
    ///   - title: What it shows.
    ///   - kind: What it does.
    ///   - link: Where `openURL` leads.
    public init(id: String, title: String, kind: Kind = .openApp, link: String? = nil) {
        self.id = id
        self.title = title
        self.kind = kind
        self.link = link
    }
}

/// Language tags (BCP 47) as texts to compare.
enum LanguageTag {
    static func normalized(_ tag: String) -> String {
        String(tag.map { $0 == "_" ? "-" : $0 }).lowercased()
    }

    static func shortened(_ tag: String) -> String {
        guard let end = tag.lastIndex(of: "-") else { return "" }
        return String(tag[..<end])
    }

    /// Letters and digits in groups of one through eight, joined by `-`; at most 35 characters.
    static func isWellFormed(_ tag: String) -> Bool {
        tag.utf8.count <= 35
            && tag.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { group in
                (1...8).contains(group.utf8.count) && group.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
    }
}
