public import CarillonModel

/// Content before it meets a Device, with its delivery options.
public struct Message: Hashable, Sendable, Codable {
    /// The delivery priority.
    public enum Priority: String, Hashable, Sendable, Codable, CaseIterable {
        /// Immediate; Apple's 10.
        case high
        /// With regard to the phone's battery; Apple's 5.
        case normal
        /// Saves the battery, and never wakes the phone; Apple's 1.
        case low
    }

    /// The interruption level.
    public enum InterruptionLevel: String, Hashable, Sendable, Codable, CaseIterable {
        case passive
        case active
        case timeSensitive = "time-sensitive"
        case critical
    }

    /// The content by language: BCP 47 tags such as `ja` or `zh-Hant`, and ``defaultLanguage`` for all others.
    ///
    /// 1 through 64 languages with `default` among them; empty only when ``silent``.
    public var content: [String: LocalizedContent]
    /// Name of a sound file in the app, or `default`; 1 through 128 characters.
    ///
    /// No sound when missing.
    public var sound: String?
    /// What becomes of the number on the app's icon; missing leaves it unchanged.
    public var badge: Badge?
    /// Groups notifications on the phone; 1 through 64 characters.
    public var thread: String?
    /// A category that the app registered, 1 through 64 characters; Carillon's own, which reports dismissal, when
    /// missing.
    public var category: String?
    /// The App's own data, beside `aps` in the payload.
    ///
    /// At most 64 names, none of them `aps` or `carillon`.
    public var data: [String: JSONValue]
    /// The delivery priority; when missing `high`, or `normal` when silent (Apple refuses `high` there).
    public var priority: Priority?
    /// How long Apple tries to deliver, in seconds, 0 (one attempt) through 2,592,000 (30 days).
    public var expiresIn: Int?
    /// The interruption level.
    public var interruptionLevel: InterruptionLevel?
    /// Notifications with one collapse id replace each other on the phone; 1 through 64 bytes of UTF-8.
    ///
    /// When missing, the Occurrence's id, so that a repeated delivery replaces its first copy.
    public var collapseID: String?
    /// False sends no collapse id; a repeated delivery after a fault may then be visible twice.
    public var collapses: Bool
    /// True wakes the app without showing anything; there is no content then.
    public var silent: Bool
    /// True wakes the app in the background too, beside showing the content; Apple's `content-available`.
    public var wakesApp: Bool
    /// True when the link leads to a survey, which the app shows in a window of its own.
    ///
    /// Every language requires a link then, with a query and without a fragment: the phone appends to it.
    public var isSurvey: Bool
    /// True when title, subtitle and body have HTML markup, which is removed: iOS would show it.
    public var isHTML: Bool
    /// True sends texts verbatim; otherwise placeholders between `{{` and `}}` are filled for each Device.
    public var isLiteral: Bool

    /// The key of the fallback in ``content``.
    public static let defaultLanguage = "default"

    /// Creates a message; set the other fields individually.
    ///
    /// - Parameter content: The content by language.
    public init(content: [String: LocalizedContent]) {
        self.content = content
        data = [:]
        collapses = true
        silent = false
        wakesApp = false
        isSurvey = false
        isHTML = false
        isLiteral = false
    }

    /// The content for a phone's language: the exact tag, then shorter and shorter tags, then the most similar tag of
    /// the same language, then the default.
    ///
    /// `kor` and `jpn` are the same languages as `ko` and `ja`; two scripts of one language are not similar.
    ///
    /// - Parameter language: The phone's BCP 47 tag; case-insensitive, `_` equals `-`.
    /// - Returns: The key of ``content`` to use; `nil` when the message is silent.
    public func language(for language: String?) -> String? { Self.key(of: content, for: language) }

    static func key(of content: [String: LocalizedContent], for language: String?) -> String? {
        let wanted = LanguageTag.canonical(language ?? "")
        let known = Dictionary(content.keys.map { (LanguageTag.canonical($0), $0) }) { min($0, $1) }
        var tag = wanted
        while !tag.isEmpty {
            if let key = known[tag] { return key }
            tag = LanguageTag.shortened(tag)
        }
        let similar = known.keys.map { (similarity: LanguageTag.similarity($0, wanted), tag: $0) }
            .filter { $0.similarity > 0 }
            .min { ($1.similarity, $0.tag.utf8.count, $0.tag) < ($0.similarity, $1.tag.utf8.count, $1.tag) }
        if let similar { return known[similar.tag] }
        return content[Self.defaultLanguage] == nil ? nil : Self.defaultLanguage
    }

    /// The content of one key of ``content``, with missing fields from the default.
    package func localized(_ key: String) -> LocalizedContent? {
        guard let content = content[key] else { return nil }
        return self.content[Self.defaultLanguage].map(content.completed) ?? content
    }
}
