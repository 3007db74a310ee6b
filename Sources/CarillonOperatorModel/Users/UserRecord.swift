public import CarillonModel

/// What the server knows of a User: the answer of `GET /v1/users/{user}`.
public struct UserRecord: Hashable, Sendable, Codable {
    /// The App's own id for the person.
    public var user: UserID
    /// The tags of the User, in the order of their ids.
    public var tags: [Tag]
    /// What the App keeps about the User.
    public var attributes: [String: JSONValue]
    /// Where the User can be reached, at most 256 Devices.
    public var contacts: [UserContact]

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - user: The App's own id for the person.
    ///   - tags: The tags of the User.
    ///   - attributes: What the App keeps about the User.
    ///   - contacts: Where the User can be reached.
    public init(user: UserID, tags: [Tag], attributes: [String: JSONValue], contacts: [UserContact]) {
        self.user = user
        self.tags = tags
        self.attributes = attributes
        self.contacts = contacts
    }
}

/// A token of a User's Device, for notifications or for calls.
public struct UserContact: Hashable, Sendable, Codable {
    /// The Device.
    public var device: DeviceID
    /// Which environment the token belongs to, and whether it takes calls.
    public var pushType: PushType
    /// Which of several tenants of the app the token is for.
    public var tenant: String?
    /// What became of the token.
    public var tokenState: DeviceRecord.TokenState
    /// The token; only a key of scope `admin` is shown it.
    public var token: DeviceToken?
    /// When the Device registered first.
    public var createdAt: Timestamp
    /// When the Device registered last.
    public var registeredAt: Timestamp

    /// Makes a contact.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - pushType: Which environment the token belongs to.
    ///   - tenant: Which tenant it is for.
    ///   - tokenState: What became of it.
    ///   - token: The token, unless it is not to be shown.
    ///   - createdAt: When the Device registered first.
    ///   - registeredAt: When it registered last.
    public init(
        device: DeviceID,
        pushType: PushType,
        tenant: String?,
        tokenState: DeviceRecord.TokenState,
        token: DeviceToken?,
        createdAt: Timestamp,
        registeredAt: Timestamp
    ) {
        self.device = device
        self.pushType = pushType
        self.tenant = tenant
        self.tokenState = tokenState
        self.token = token
        self.createdAt = createdAt
        self.registeredAt = registeredAt
    }
}

/// The body of `POST /v1/apps/{app}/tags/{tag}/users`: who gets a tag.
public struct TagUsersRequest: Hashable, Sendable, Codable {
    /// The most Users of one request.
    public static let maximumCount = 16

    /// 1 through 16 Users.
    public var users: [UserID]

    /// Makes a request.
    ///
    /// - Parameter users: 1 through 16 Users.
    public init(users: [UserID]) { self.users = users }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case users
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        users = try fields.required(.users)
        guard (1...Self.maximumCount).contains(users.count) else {
            throw fields.failure(.users, "must list 1 through \(Self.maximumCount) users")
        }
    }
}

/// A token that the push service refused.
public struct InvalidToken: Hashable, Sendable, Codable {
    /// Whose token it was.
    public var device: DeviceID
    /// The User of the Device when it was refused.
    public var user: UserID?
    /// Which environment the token belongs to.
    public var pushType: PushType
    /// Which of several tenants of the app it was for.
    public var tenant: String?
    /// The push service's word, as `Unregistered`.
    public var reason: String
    /// Since when the token is dead by the push service's clock, if it said so.
    public var invalidSince: Timestamp?
    /// What was being sent.
    public var campaign: CampaignID?
    /// The token; only a key of scope `admin` is shown it.
    public var token: DeviceToken?
    /// When it was refused.
    public var at: Timestamp

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - device: Whose token it was.
    ///   - pushType: Which environment it belongs to.
    ///   - reason: The push service's word.
    ///   - at: When it was refused.
    public init(device: DeviceID, pushType: PushType, reason: String, at: Timestamp) {
        self.device = device
        self.pushType = pushType
        self.reason = reason
        self.at = at
    }
}
