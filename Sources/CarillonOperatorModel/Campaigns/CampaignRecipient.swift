public import CarillonModel

/// A User whom a Campaign is for, with what its texts say to them alone: `{"user": "u1", "values": {"points": 120}}`.
public struct CampaignRecipient: Hashable, Sendable, Codable {
    /// The most recipients of one Campaign.
    public static let maximumCount = 1_000

    /// The User; all their Devices get the message.
    public var user: UserID
    /// What the places `{{recipient.NAME}}` are filled with at this User's Devices; at most 64, none when missing.
    public var values: TemplateValues

    /// Makes a recipient.
    ///
    /// - Parameters:
    ///   - user: The User.
    ///   - values: What the places `{{recipient.NAME}}` are filled with.
    public init(user: UserID, values: TemplateValues = TemplateValues([:])) {
        self.user = user
        self.values = values
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case user, values
    }

    /// Reads a recipient strictly.
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

    /// Reads whom a Campaign is for, where recipients may stand for an audience.
    ///
    /// A request that was written by its type has both, which then say the same.
    func audience(_ key: Key, besides recipients: [CampaignRecipient]?) throws -> Audience? {
        let audience: Audience? = try optional(key)
        guard let recipients else { return audience }
        let listed = Audience.users(recipients.map(\.user))
        guard audience == nil || audience == listed else {
            throw failure(key, "must be missing: recipients are given")
        }
        return listed
    }
}

/// Which values the places `{{recipient.NAME}}` of a Campaign ask for.
package struct RecipientPlaces: Hashable, Sendable {
    /// All names.
    package private(set) var names: Set<String> = []
    /// Those that stand somewhere without a default.
    package private(set) var required: Set<String> = []

    package init() {}

    /// Notes a place; one for anything else is passed over.
    package mutating func note(_ place: PersonalText.Place) {
        guard case .recipient(let name) = place.field else { return }
        names.insert(name)
        if place.fallback == nil { required.insert(name) }
    }

    /// Looks for the first recipient whose values do not fit the places.
    ///
    /// - Parameters:
    ///   - recipients: All of the Campaign; `nil` when it has an audience instead.
    ///   - areStored: Whether an earlier request brought them: then a value may have no place any more.
    /// - Returns: What is wrong; `nil` when every place is filled and every value has a place.
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
