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
    /// The number that the app set on its icon, as in ``Registration/badge``.
    public var badge: Int?

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
        new.pushType = pushType ?? old.pushType
        new.user = user.applied(to: old.user)
        new.userProof = userProof
        new.consent = consent ?? old.consent
        new.permission = permission ?? old.permission
        new.categories = categories.applied(to: old.categories)
        new.location = location.applied(to: old.location)
        new.badge = badge
        for field in DeviceField.all {
            guard case .set(let text) = self[keyPath: field.update] else { continue }
            new[keyPath: field.registration] = text
        }
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
        pushType = try fields.notificationType()
        user = try fields.change(.user)
        userProof = try fields.optional(.userProof)
        consent = try fields.optional(.consent)
        permission = try fields.optional(.permission)
        categories = try fields.change(.categories)
        location = try fields.change(.location)
        badge = try fields.badge()
        for field in DeviceField.all where fields.contains(field.key) {
            self[keyPath: field.update] = .set(try fields.text(field))
        }
    }
}

extension Fields {
    fileprivate func change<Value: Decodable & Hashable & Sendable>(
        _ key: Key
    ) throws -> RegistrationUpdate.Change<Value> {
        contains(key) ? .set(try optional(key)) : .keep
    }
}
