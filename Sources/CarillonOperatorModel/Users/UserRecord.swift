public import CarillonModel

/// The server's record of a User: the response of `GET /v1/users/{user}`.
public struct UserRecord: Hashable, Sendable, Codable {
    /// The App's own id of the person.
    public var user: UserID
    /// The tags of the User, by id.
    public var tags: [Tag]
    /// The attributes of the User.
    public var attributes: [String: JSONValue]
    /// The User's tokens, of at most 256 Devices.
    public var contacts: [UserContact]

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - user: The App's own id of the person.
    ///   - tags: The tags of the User.
    ///   - attributes: The attributes of the User.
    ///   - contacts: The User's tokens.
    public init(user: UserID, tags: [Tag], attributes: [String: JSONValue], contacts: [UserContact]) {
        self.user = user
        self.tags = tags
        self.attributes = attributes
        self.contacts = contacts
    }
}

/// A device token or VoIP token of a User's Device.
public struct UserContact: Hashable, Sendable, Codable {
    /// The Device.
    public var device: DeviceID
    /// The token's type and environment.
    public var pushType: PushType
    /// The tenant of the app that the token is for.
    public var tenant: String?
    /// The state of the token.
    public var tokenState: DeviceRecord.TokenState
    /// The token; returned only to a key with scope `admin`.
    public var token: DeviceToken?
    /// The Device's first registration.
    public var createdAt: Timestamp
    /// The Device's last registration.
    public var registeredAt: Timestamp

    /// Creates a contact.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - pushType: The token's type and environment.
    ///   - tenant: The tenant that it is for.
    ///   - tokenState: The state of the token.
    ///   - token: The token, unless it must not be returned.
    ///   - createdAt: The Device's first registration.
    ///   - registeredAt: The Device's last registration.
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

/// The body of `POST /v1/tags/{tag}/users`: the Users that get a tag.
public struct TagUsersRequest: Hashable, Sendable, Codable {
    /// Maximum number of Users in one request.
    public static let maximumCount = 16

    /// 1 through 16 Users.
    public var users: [UserID]

    /// Creates a request.
    ///
    /// - Parameter users: 1 through 16 Users.
    public init(users: [UserID]) { self.users = users }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case users
    }

    /// Decodes a request strictly.
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

/// A device token that APNs refused.
public struct InvalidToken: Hashable, Sendable, Codable {
    /// The token's Device.
    public var device: DeviceID
    /// The User of the Device when it was refused.
    public var user: UserID?
    /// The environment of the token.
    public var pushType: PushType
    /// The tenant of the app that it was for.
    public var tenant: String?
    /// APNs' reason, such as `Unregistered`.
    public var reason: String
    /// Apple's other environment, of which the token may be; with the reason `BadDeviceToken`, which Apple gives for a
    /// malformed token and for one of the other environment alike.
    public var otherPushType: PushType?
    /// Since when the token is invalid by APNs' clock, if known.
    public var invalidSince: Timestamp?
    /// The Campaign.
    public var campaign: CampaignID?
    /// The token; returned only to a key with scope `admin`.
    public var token: DeviceToken?
    /// When it was refused.
    public var at: Timestamp

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - device: The token's Device.
    ///   - pushType: The environment.
    ///   - reason: APNs' reason.
    ///   - at: When it was refused.
    public init(device: DeviceID, pushType: PushType, reason: String, at: Timestamp) {
        self.device = device
        self.pushType = pushType
        self.reason = reason
        self.at = at
        otherPushType = reason == "BadDeviceToken" ? pushType.ofOtherEnvironment : nil
    }
}

extension PushType {
    /// The same kind of token in Apple's other environment.
    fileprivate var ofOtherEnvironment: PushType {
        switch self {
        case .apns: .apnsSandbox
        case .apnsSandbox: .apns
        case .apnsVoIP: .apnsVoIPSandbox
        case .apnsVoIPSandbox: .apnsVoIP
        }
    }
}
