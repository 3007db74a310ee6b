/// A change of parts of a registration: the body of `PATCH /v1/devices/{device}`.
///
/// A missing field stays unchanged; a field that is `null` is deleted (except consent).
public struct RegistrationUpdate: Hashable, Sendable {
    /// The change of one field: unchanged, set or deleted.
    public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
        case keep
        case set(Value?)

        /// The value after the change.
        ///
        /// - Parameter old: The value before it.
        /// - Returns: The old or the new value.
        public func applied(to old: Value?) -> Value? {
            switch self {
            case .keep: old
            case .set(let value): value
            }
        }
    }

    /// The device token.
    public var token: Change<DeviceToken> = .keep
    /// The previous token of this phone, as in ``Registration/oldToken``.
    public var oldToken: DeviceToken?
    /// The tenant of the app that the token is for.
    public var tenant: Change<String> = .keep
    /// The environment of the token.
    public var pushType: PushType?
    /// The person the Device belongs to, under the App's own id.
    public var user: Change<UserID> = .keep
    /// Proof that the Device may claim the user.
    public var userProof: UserProof?
    /// The person's consent.
    public var consent: Consent?
    /// The system's permission for notifications.
    public var permission: NotificationPermission?
    /// BCP 47 language tag of the phone.
    public var language: Change<String> = .keep
    /// ISO 3166 region code.
    public var country: Change<String> = .keep
    /// IANA time zone.
    public var timeZone: Change<String> = .keep
    /// The app's version.
    public var appVersion: Change<String> = .keep
    /// The system's name and version.
    public var osVersion: Change<String> = .keep
    /// The hardware model.
    public var model: Change<String> = .keep
    /// The SDK's version.
    public var sdkVersion: Change<String> = .keep
    /// The groups of the Device; when deleted, ``DeviceCategories/standard`` again.
    public var categories: Change<DeviceCategories> = .keep
    /// The phone's last location.
    public var location: Change<DeviceLocation> = .keep

    /// Creates an empty change.
    public init() {}

    /// The registration after the change.
    ///
    /// - Parameter old: The registration before it.
    /// - Returns: The old registration with the changed fields.
    public func applied(to old: Registration) -> Registration {
        var new = old
        new.token = token.applied(to: old.token)
        new.oldToken = oldToken
        new.tenant = tenant.applied(to: old.tenant)
        new.pushType = pushType ?? old.pushType
        new.user = user.applied(to: old.user)
        new.userProof = userProof
        new.consent = consent ?? old.consent
        new.permission = permission ?? old.permission
        new.language = language.applied(to: old.language)
        new.country = country.applied(to: old.country)
        new.timeZone = timeZone.applied(to: old.timeZone)
        new.appVersion = appVersion.applied(to: old.appVersion)
        new.osVersion = osVersion.applied(to: old.osVersion)
        new.model = model.applied(to: old.model)
        new.sdkVersion = sdkVersion.applied(to: old.sdkVersion)
        new.categories = categories.applied(to: old.categories)
        new.location = location.applied(to: old.location)
        return new
    }
}

extension RegistrationUpdate: Decodable {
    /// Decodes a change strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<Registration.CodingKeys>(decoder)
        token = try fields.change(.token)
        oldToken = try fields.optional(.oldToken)
        tenant = try fields.textChange(.tenant, 1...64)
        pushType = try fields.notificationType(.pushType)
        user = try fields.change(.user)
        userProof = try fields.optional(.userProof)
        consent = try fields.optional(.consent)
        permission = try fields.optional(.permission)
        language = try fields.textChange(.language, 1...35)
        country = try fields.textChange(.country, 2...3)
        timeZone = try fields.textChange(.timeZone, 1...64)
        appVersion = try fields.textChange(.appVersion, 1...64)
        osVersion = try fields.textChange(.osVersion, 1...64)
        model = try fields.textChange(.model, 1...64)
        sdkVersion = try fields.textChange(.sdkVersion, 1...64)
        categories = try fields.change(.categories)
        location = try fields.change(.location)
    }
}

extension Fields {
    fileprivate func change<Value: Decodable & Hashable & Sendable>(
        _ key: Key
    ) throws -> RegistrationUpdate.Change<Value> {
        contains(key) ? .set(try optional(key)) : .keep
    }

    fileprivate func textChange(
        _ key: Key,
        _ length: ClosedRange<Int>
    ) throws -> RegistrationUpdate.Change<String> {
        contains(key) ? .set(try text(key, length)) : .keep
    }
}
