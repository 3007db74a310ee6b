/// Everything a Device reports about itself: the body of `PUT /v1/devices/{device}`.
///
/// Registering is idempotent. Missing fields are deleted: the server stores the last registration.
public struct Registration: Hashable, Sendable, Codable {
    /// The device token; missing when the person did not allow notifications.
    public var token: DeviceToken?
    /// The previous token of this phone, in the same environment and tenant.
    ///
    /// The Device with that token is the same phone and loses it. A Device that keeps its id need not send it. It is
    /// not stored.
    public var oldToken: DeviceToken?
    /// The tenant of the app that the token is for: the same token may be registered once for each.
    ///
    /// 1 through 64 characters.
    public var tenant: String?
    /// The environment of the token.
    public var pushType: PushType
    /// The person the Device belongs to, under the App's own id.
    public var user: UserID?
    /// Proof that the Device may claim the user; required by an App whose identity is `signed`.
    public var userProof: UserProof?
    /// The person's consent.
    public var consent: Consent
    /// The system's permission for notifications.
    public var permission: NotificationPermission?
    /// BCP 47 language tag of the phone, such as `ja` or `zh-Hant-TW`; at most 35 characters.
    public var language: String?
    /// ISO 3166 region code, such as `JP`; 2 through 3 characters.
    public var country: String?
    /// IANA time zone, such as `Asia/Tokyo`; at most 64 characters.
    public var timeZone: String?
    /// The app's version; at most 64 characters.
    public var appVersion: String?
    /// The system's name and version, such as `iOS 17.4`; at most 64 characters.
    public var osVersion: String?
    /// The hardware model, such as `iPhone15,3`; at most 64 characters.
    public var model: String?
    /// The SDK's version; at most 64 characters.
    public var sdkVersion: String?
    /// The groups of the Device; ``DeviceCategories/standard`` when missing.
    public var categories: DeviceCategories?
    /// The phone's last location, if the App uses it and the person allowed it.
    public var location: DeviceLocation?
    /// The number that the app set on its icon, 0 through 99,999: messages that add to it count from there.
    ///
    /// Missing leaves the server's count as it is. It is not stored as a part of the registration.
    public var badge: Int?

    /// The range of a number on an app's icon.
    package static let badges = 0...99_999

    /// Creates a registration with a consent; set the other fields individually.
    ///
    /// - Parameters:
    ///   - token: The device token, if there is one.
    ///   - pushType: The environment of the token.
    ///   - consent: The person's consent.
    public init(token: DeviceToken? = nil, pushType: PushType = .apns, consent: Consent) {
        self.token = token
        self.pushType = pushType
        self.consent = consent
    }

    enum CodingKeys: CodingKey {
        case token, oldToken, tenant, pushType, user, userProof, consent, permission, language, country, timeZone
        case appVersion, osVersion, model, sdkVersion, categories, location, badge
    }

    /// Decodes a registration strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        token = try fields.optional(.token)
        oldToken = try fields.optional(.oldToken)
        pushType = try fields.notificationType() ?? .apns
        user = try fields.optional(.user)
        userProof = try fields.optional(.userProof)
        consent = try fields.required(.consent)
        permission = try fields.optional(.permission)
        categories = try fields.optional(.categories)
        location = try fields.optional(.location)
        badge = try fields.badge()
        for field in DeviceField.all { self[keyPath: field.registration] = try fields.text(field) }
    }
}

extension Fields<Registration.CodingKeys> {
    /// Reads one of the texts that a Device reports.
    func text(_ field: DeviceField) throws -> String? { try text(field.key, field.limit.lengths) }

    /// Reads the number on the app's icon.
    func badge() throws -> Int? { try integer(.badge, Registration.badges) }

    /// Reads the type of a device token: VoIP tokens are registered separately.
    func notificationType() throws -> PushType? {
        guard let text: String = try optional(.pushType) else { return nil }
        guard let type = PushType(rawValue: text), !type.isVoIP else {
            throw failure(.pushType, "must be apns or apns_sandbox")
        }
        return type
    }
}

/// The system's permission for an app's notifications.
public enum NotificationPermission: String, Hashable, Sendable, Codable, CaseIterable {
    case notDetermined
    case denied
    case authorized
    case provisional
    case ephemeral
}

/// Proof, created by the customer's back end, that a Device may claim a User.
///
/// The signature is HMAC-SHA256, under the App's identity secret, over the App's id, a line feed, the user id, a line
/// feed and the expiry in decimal, in base64url without padding.
public struct UserProof: Hashable, Sendable, Codable {
    /// When the proof expires, in seconds since 1970.
    public var expires: Int64
    /// The signature: 43 characters of base64url.
    public var signature: String

    /// Creates a proof.
    ///
    /// - Parameters:
    ///   - expires: When the proof expires, in seconds since 1970.
    ///   - signature: The signature, 43 characters of base64url.
    public init(expires: Int64, signature: String) {
        self.expires = expires
        self.signature = signature
    }

    enum CodingKeys: CodingKey {
        case expires, signature
    }

    /// Decodes a proof strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        expires = try fields.required(.expires)
        guard let signature = try fields.text(.signature, 43...43) else {
            throw fields.failure(.signature, "is required")
        }
        self.signature = signature
    }
}
