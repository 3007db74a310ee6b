public import CarillonModel

/// The Devices that a Campaign is for.
public enum Audience: Hashable, Sendable {
    /// Every Device of the App: `{"all": true}`.
    case all
    /// All Devices of these Users, 1 through 10,000: `{"users": ["u1", "u2"]}`.
    case users([UserID])
    /// These Devices, 1 through 10,000: `{"devices": ["…"]}`.
    case devices([DeviceID])
    /// The Devices that match a rule when the Campaign reaches them: `{"rule": "tag:ZZPP00b6 and language = ja"}`, or
    /// the rule as JSON.
    case rule(AudienceRule)
    /// The Devices of a saved audience: `{"saved": "aud_…"}`.
    ///
    /// An accepted Campaign stores the audience's rule at that time.
    case saved(AudienceID)
    /// Users or Devices that were listed and are deleted, `{"redacted": true}`: their retention period has ended, or
    /// all of them were erased. Not valid in a request.
    case redacted

    /// Maximum number of listed Users or Devices.
    public static let maximumListCount = 10_000
}

extension Audience: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case all, users, devices, rule, saved, redacted
    }

    /// Reads one of the forms.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let all: Bool? = try fields.optional(.all)
        let users: [UserID]? = try fields.optional(.users)
        let devices: [DeviceID]? = try fields.optional(.devices)
        let rule: WrittenRule? = try fields.optional(.rule)
        let saved: AudienceID? = try fields.optional(.saved)
        let redacted: Bool? = try fields.optional(.redacted)
        if redacted == true, all == nil, users == nil, devices == nil, rule == nil, saved == nil {
            self = .redacted
            return
        }
        guard redacted == nil else { throw fields.failure(.redacted, "must be missing") }
        switch (all, users, devices, rule, saved) {
        case (true, nil, nil, nil, nil): self = .all
        case (nil, let users?, nil, nil, nil): self = .users(try fields.list(.users, users))
        case (nil, nil, let devices?, nil, nil): self = .devices(try fields.list(.devices, devices))
        case (nil, nil, nil, let rule?, nil): self = .rule(rule.rule)
        case (nil, nil, nil, nil, let saved?): self = .saved(saved)
        default:
            throw fields.failure(.all, "must be true, or missing with one of users, devices, rule and saved present")
        }
    }

    /// Writes the form; a rule as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .all: try container.encode(true, forKey: .all)
        case .users(let users): try container.encode(users, forKey: .users)
        case .devices(let devices): try container.encode(devices, forKey: .devices)
        case .rule(let rule): try container.encode(rule.text, forKey: .rule)
        case .saved(let audience): try container.encode(audience, forKey: .saved)
        case .redacted: try container.encode(true, forKey: .redacted)
        }
    }
}

extension Fields {
    fileprivate func list<Element>(_ key: Key, _ elements: [Element]) throws -> [Element] {
        guard (1...Audience.maximumListCount).contains(elements.count) else {
            throw failure(key, "must list 1 through \(Audience.maximumListCount)")
        }
        return elements
    }
}
