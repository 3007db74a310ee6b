public import CarillonModel

/// Whom a Campaign is for.
public enum Audience: Hashable, Sendable {
    /// Every Device of the App: `{"all": true}`.
    case all
    /// All Devices of these Users, 1 through 10,000: `{"users": ["u1", "u2"]}`.
    case users([UserID])
    /// These Devices, 1 through 10,000: `{"devices": ["…"]}`.
    case devices([DeviceID])

    /// The most Users or Devices that may be listed.
    public static let maximumListCount = 10_000
}

extension Audience: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case all, users, devices
    }

    /// Reads one of the three forms.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let all: Bool? = try fields.optional(.all)
        let users: [UserID]? = try fields.optional(.users)
        let devices: [DeviceID]? = try fields.optional(.devices)
        switch (all, users, devices) {
        case (true, nil, nil): self = .all
        case (nil, let users?, nil): self = .users(try fields.list(.users, users))
        case (nil, nil, let devices?): self = .devices(try fields.list(.devices, devices))
        default:
            throw fields.failure(.all, "must be true, or missing with either users or devices given")
        }
    }

    /// Writes the form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .all: try container.encode(true, forKey: .all)
        case .users(let users): try container.encode(users, forKey: .users)
        case .devices(let devices): try container.encode(devices, forKey: .devices)
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
