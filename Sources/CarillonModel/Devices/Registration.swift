/// Everything a Device tells the server about itself: the body of `PUT /v1/devices/{device}`.
///
/// Registering is idempotent. What is missing is forgotten: the server keeps what the last registration said.
public struct Registration: Hashable, Sendable, Codable {
    /// The device token and the environment it belongs to; none when the person did not allow notifications.
    public var token: DeviceToken?
    /// The token that this phone had before, of the same environment and tenant.
    ///
    /// It says that whoever has that token is the same phone: it is taken away there. A Device that keeps its id need not
    /// tell it. It is not kept.
    public var oldToken: DeviceToken?
    /// Which of several tenants of the app the token is for: the same token may be registered once for each.
    ///
    /// 1 through 64 characters.
    public var tenant: String?
    /// Which environment the token belongs to.
    public var pushType: PushType
    /// The person the Device belongs to, under the App's own id.
    public var user: UserID?
    /// Proof that the Device may claim the user; needed by an App whose identity is `signed`.
    public var userProof: UserProof?
    /// What the person agreed to.
    public var consent: Consent
    /// The system's answer about notifications.
    public var permission: NotificationPermission?
    /// BCP 47 language tag of the phone, as `ja` or `zh-Hant-TW`; at most 35 characters.
    public var language: String?
    /// ISO 3166 region code, as `JP`; 2 through 3 characters.
    public var country: String?
    /// IANA time zone, as `Asia/Tokyo`; at most 64 characters.
    public var timeZone: String?
    /// The app's version; at most 64 characters.
    public var appVersion: String?
    /// The system's name and version, as `iOS 17.4`; at most 64 characters.
    public var osVersion: String?
    /// The hardware model, as `iPhone15,3`; at most 64 characters.
    public var model: String?
    /// The SDK's version; at most 64 characters.
    public var sdkVersion: String?
    /// The groups the Device asked to be in; missing: ``DeviceCategories/standard``.
    public var categories: DeviceCategories?
    /// Where the phone was last, if the App wants to know and the person allowed it.
    public var location: DeviceLocation?

    /// Makes a registration with nothing but consent; the rest is set field by field.
    ///
    /// - Parameters:
    ///   - token: The device token, if there is one.
    ///   - pushType: Which environment the token belongs to.
    ///   - consent: What the person agreed to.
    public init(token: DeviceToken? = nil, pushType: PushType = .apns, consent: Consent) {
        self.token = token
        self.pushType = pushType
        self.consent = consent
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case token, oldToken, tenant, pushType, user, userProof, consent, permission, language, country, timeZone
        case appVersion, osVersion, model, sdkVersion, categories, location
    }

    /// Reads a registration strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        token = try fields.optional(.token)
        oldToken = try fields.optional(.oldToken)
        tenant = try fields.text(.tenant, 1...64)
        pushType = try fields.notificationType(.pushType) ?? .apns
        user = try fields.optional(.user)
        userProof = try fields.optional(.userProof)
        consent = try fields.required(.consent)
        permission = try fields.optional(.permission)
        language = try fields.text(.language, 1...35)
        country = try fields.text(.country, 2...3)
        timeZone = try fields.text(.timeZone, 1...64)
        appVersion = try fields.text(.appVersion, 1...64)
        osVersion = try fields.text(.osVersion, 1...64)
        model = try fields.text(.model, 1...64)
        sdkVersion = try fields.text(.sdkVersion, 1...64)
        categories = try fields.optional(.categories)
        location = try fields.optional(.location)
    }
}

extension Fields {
    /// Reads a push type whose tokens take notifications: a token for calls is registered apart.
    func notificationType(_ key: Key) throws -> PushType? {
        let type: PushType? = try optional(key)
        guard type?.isVoIP != true else { throw failure(key, "must be apns or apns_sandbox") }
        return type
    }
}

/// The system's answer to whether an app may notify.
public enum NotificationPermission: String, Hashable, Sendable, Codable, CaseIterable {
    case notDetermined
    case denied
    case authorized
    case provisional
    case ephemeral
}

/// Proof, made by the customer's back end, that a Device may claim a User.
///
/// The signature is HMAC-SHA256, under the App's identity secret, over the App's id, a line feed, the user id, a line
/// feed and the expiry in decimal, in base64url without padding.
public struct UserProof: Hashable, Sendable, Codable {
    /// When the proof stops being taken, in seconds since 1970.
    public var expires: Int64
    /// The signature: 43 characters of base64url.
    public var signature: String

    /// Makes a proof.
    ///
    /// - Parameters:
    ///   - expires: When the proof stops being taken, in seconds since 1970.
    ///   - signature: The signature, 43 characters of base64url.
    public init(expires: Int64, signature: String) {
        self.expires = expires
        self.signature = signature
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case expires, signature
    }

    /// Reads a proof strictly.
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
