public import Carillon
package import CarillonModel

// MARK: - What a test sets

extension TestKitServer {
    /// A message of a User to another.
    public struct UserMessage: Hashable, Sendable {
        /// Who sent it.
        public let from: UserID
        /// Whom it is for.
        public let to: UserID
        /// Its title.
        public let title: String?
        /// Its text.
        public let body: String

        /// The push that the other User's phone gets.
        public var push: TestKitPush {
            var push = TestKitPush(title: title, body: body)
            push.data = ["from": from.rawValue]
            return push
        }
    }

    /// The tags of the App; `nil`: any tag is one.
    public var knownTags: Set<TagID>? {
        get { with(\.knownTags) }
        set { with { $0.knownTags = newValue } }
    }

    /// Whether Users may send messages to each other; false unless set, as in a new App.
    public var allowsUserMessages: Bool {
        get { with(\.allowsUserMessages) }
        set { with { $0.allowsUserMessages = newValue } }
    }

    /// Whether the App's rules for ads apply to the phones; false as for a phone that is not set to Korean, in an App whose
    /// `adRule` is `korean`.
    public var adRuleApplies: Bool {
        get { with(\.adRuleApplies) }
        set { with { $0.adRuleApplies = newValue } }
    }
}

// MARK: - What a test looks at

extension TestKitServer {
    /// How many devices the server knows.
    public var deviceCount: Int { with(\.devices.count) }

    /// The last registration of each Device.
    public var registrations: [Registration] { with { $0.devices.values.map(\.registration) } }

    /// All events that were reported, each once.
    public var events: [Event] { with(\.events) }

    /// The messages of Users to each other, oldest first.
    public var userMessages: [UserMessage] { with(\.userMessages) }

    /// A User's tags.
    public func tags(of user: UserID) -> Set<TagID> { with { $0.tags[user] ?? [] } }

    /// A User's attributes.
    public func attributes(of user: UserID) -> [String: JSONValue] { with { $0.attributes[user] ?? [:] } }

    package var requests: [Request] { with(\.requests) }

    /// The VoIP tokens.
    package var callTokens: [VoIPRegistration] { with { $0.devices.values.compactMap(\.voIP?.registration) } }
}
