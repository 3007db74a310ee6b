import CarillonModel

/// Whether and how an App's Users may send to each other: the body of `GET` and `PUT /v1/apps/{app}/user-messages`.
public struct UserMessageRules: Hashable, Sendable, Codable {
    /// Whether they may at all; missing: false.
    ///
    /// Only in an App whose Users are proved (`identity` is `signed`).
    public var isAllowed = false
    /// How many characters a title may have, 0 (none is taken) through 100; missing: 50.
    public var titleLength = 50
    /// How many characters a body may have, 1 through 1,000; missing: 300.
    public var bodyLength = 300
    /// How many messages a Device may send a minute, 1 through 600; missing: 10.
    public var perDevice = 10
    /// How many messages a User may be sent a minute, by whomever, 1 through 600; missing: 20.
    public var perTarget = 20
    /// An address of the App's back end that says of each message whether it may go; missing: all may.
    ///
    /// It is asked as a webhook is told, and may say yes by any status 200 through 299; anything else, and no answer in
    /// time, means no.
    public var checkURL: String?

    /// Makes rules that allow nothing.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case isAllowed, titleLength, bodyLength, perDevice, perTarget, checkURL
    }

    /// Reads rules strictly.
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

/// The rules with the secret that questions to the back end are signed with, which is shown when an address is set.
public struct UserMessageRulesAnswer: Hashable, Sendable, Codable {
    /// The rules.
    public var rules: UserMessageRules
    /// `whsec_` and 44 characters of base64; missing without an address.
    public var secret: String?

    /// Makes the answer.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - secret: What questions are signed with.
    public init(rules: UserMessageRules, secret: String?) {
        self.rules = rules
        self.secret = secret
    }
}
