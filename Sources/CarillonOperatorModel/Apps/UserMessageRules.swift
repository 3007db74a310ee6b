import CarillonModel

/// Whether and how an App's Users may send messages to each other: the body of `GET` and `PUT
/// /v1/apps/{app}/user-messages`.
public struct UserMessageRules: Hashable, Sendable, Codable {
    /// Whether they may; false when missing.
    ///
    /// Only in an App whose `identity` is `signed`.
    public var isAllowed = false
    /// Maximum length of a title in characters, 0 (no title) through 100; 50 when missing.
    public var titleLength = 50
    /// Maximum length of a body in characters, 1 through 1,000; 300 when missing.
    public var bodyLength = 300
    /// How many messages a Device may send a minute, 1 through 600; 10 when missing.
    public var perDevice = 10
    /// How many messages a User may receive a minute in all, 1 through 600; 20 when missing.
    public var perTarget = 20
    /// An address of the App's back end that approves each message; all are allowed when missing.
    ///
    /// It is called like a webhook, and approves by any status 200 through 299; anything else, including a timeout,
    /// refuses.
    public var checkURL: String?

    /// Creates rules that allow nothing.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case isAllowed, titleLength, bodyLength, perDevice, perTarget, checkURL
    }

    /// Decodes rules strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        self.init()
        isAllowed = try fields.optional(.isAllowed) ?? isAllowed
        titleLength = try fields.integer(.titleLength, 0...100) ?? titleLength
        bodyLength = try fields.integer(.bodyLength, 1...1_000) ?? bodyLength
        perDevice = try fields.integer(.perDevice, 1...600) ?? perDevice
        perTarget = try fields.integer(.perTarget, 1...600) ?? perTarget
        checkURL = try fields.text(.checkURL, 1...2_000)
    }
}

/// The rules with the secret that signs calls of the back end; the secret is returned when an address is set.
public struct UserMessageRulesAnswer: Hashable, Sendable, Codable {
    /// The rules.
    public var rules: UserMessageRules
    /// `whsec_` and 44 characters of base64; missing without an address.
    public var secret: String?

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - secret: The secret that signs calls of the back end.
    public init(rules: UserMessageRules, secret: String?) {
        self.rules = rules
        self.secret = secret
    }
}
