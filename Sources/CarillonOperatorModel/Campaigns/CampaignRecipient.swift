public import CarillonModel

/// A User whom a Campaign is for, with values of their own for its texts: `{"user": "u1", "values": {"points": 120}}`.
public struct CampaignRecipient: Hashable, Sendable, Codable {
    /// Maximum number of recipients of one Campaign.
    public static let maximumCount = 10_000

    /// The User; all their Devices get the message.
    public var user: UserID
    /// Values of the placeholders `{{recipient.NAME}}` for this User; at most 64, none when missing.
    public var values: TemplateValues

    /// Creates a recipient.
    ///
    /// - Parameters:
    ///   - user: The User.
    ///   - values: Values of the placeholders `{{recipient.NAME}}`.
    public init(user: UserID, values: TemplateValues = TemplateValues([:])) {
        self.user = user
        self.values = values
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case user, values
    }

    /// Decodes a recipient strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        user = try fields.required(.user)
        values = try fields.optional(.values) ?? TemplateValues([:])
    }
}

extension Fields {
    /// Reads a list of recipients.
    ///
    /// - Throws: ``FieldError`` naming the field when the list is too long or names a User twice.
    func recipients(_ key: Key) throws -> [CampaignRecipient]? {
        guard let recipients: [CampaignRecipient] = try optional(key) else { return nil }
        guard (1...CampaignRecipient.maximumCount).contains(recipients.count) else {
            throw failure(key, "must list 1 through \(CampaignRecipient.maximumCount)")
        }
        var seen: Set<UserID> = []
        for (index, recipient) in recipients.enumerated() where !seen.insert(recipient.user).inserted {
            throw FieldError(
                field: failure(key, "").field + ".\(index).user",
                problem: "must be named once: another recipient is this user"
            )
        }
        return recipients
    }

    /// Reads a Campaign's audience, which recipients may replace.
    ///
    /// An encoded request has both, which are then equal.
    func audience(_ key: Key, besides recipients: [CampaignRecipient]?) throws -> Audience? {
        let audience: Audience? = try optional(key)
        guard let recipients else { return audience }
        let listed = Audience.users(recipients.map(\.user))
        guard audience == nil || audience == listed else {
            throw failure(key, "must be missing: recipients is present")
        }
        return listed
    }
}

/// The placeholders `{{recipient.NAME}}` of a Campaign.
package struct RecipientPlaces: Hashable, Sendable {
    /// All names.
    package private(set) var names: Set<String> = []
    /// Names that have a placeholder without a default.
    package private(set) var required: Set<String> = []

    package init() {}

    /// Records a placeholder; others are ignored.
    package mutating func note(_ place: PersonalText.Place) {
        guard case .recipient(let name) = place.field else { return }
        names.insert(name)
        if place.fallback == nil { required.insert(name) }
    }

    /// Finds the first recipient whose values do not fit the placeholders.
    ///
    /// - Parameters:
    ///   - recipients: All of the Campaign; `nil` when it has an audience instead.
    ///   - areStored: Whether they are of an earlier request: then a value need not have a placeholder.
    /// - Returns: The error; `nil` when every placeholder has a value and every value a placeholder.
    package func problem(of recipients: [CampaignRecipient]?, areStored: Bool = false) -> FieldError? {
        guard let recipients else {
            guard let name = required.min() else { return nil }
            return FieldError(field: "recipients", problem: "is required: a text has a place for recipient.\(name)")
        }
        for (index, recipient) in recipients.enumerated() {
            let given = recipient.values.texts
            if let name = required.filter({ given[$0, default: ""].isEmpty }).min() {
                return Self.error(index, name, "is required: a text has a place for it without a default")
            }
            if !areStored, let name = given.keys.filter({ !names.contains($0) }).min() {
                return Self.error(index, name, "must be missing: no text has a place for it")
            }
        }
        return nil
    }

    private static func error(_ index: Int, _ name: String, _ problem: String) -> FieldError {
        FieldError(field: "recipients.\(index).values.\(name)", problem: problem)
    }
}
