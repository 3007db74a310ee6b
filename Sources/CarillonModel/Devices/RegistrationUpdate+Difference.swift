extension RegistrationUpdate {
    /// Creates the change from one registration to another.
    ///
    /// The proof is included only with a change of user; a changed proof alone is no change.
    ///
    /// - Parameters:
    ///   - old: The registration before the change.
    ///   - new: The registration after it.
    public init(from old: Registration, to new: Registration) {
        self.init()
        token = Self.change(from: old.token, to: new.token)
        oldToken = token == .keep ? nil : new.oldToken
        pushType = old.pushType == new.pushType ? nil : new.pushType
        user = Self.change(from: old.user, to: new.user)
        userProof = user == .keep ? nil : new.userProof
        consent = old.consent == new.consent ? nil : new.consent
        permission = old.permission == new.permission ? nil : new.permission
        categories = Self.change(from: old.categories, to: new.categories)
        location = Self.change(from: old.location, to: new.location)
        badge = new.badge
        for field in DeviceField.all {
            let (old, new) = (old[keyPath: field.registration], new[keyPath: field.registration])
            self[keyPath: field.update] = Self.change(from: old, to: new)
        }
    }

    /// Whether it changes nothing.
    public var isEmpty: Bool { self == RegistrationUpdate() }

    private static func change<Value>(from old: Value?, to new: Value?) -> Change<Value> {
        old == new ? .keep : .set(new)
    }
}

extension RegistrationUpdate: Encodable {
    /// Encodes the changed fields; a deleted one as `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Registration.CodingKeys.self)
        try token.encode(to: &container, .token)
        try container.encodeIfPresent(oldToken, forKey: .oldToken)
        try container.encodeIfPresent(pushType, forKey: .pushType)
        try user.encode(to: &container, .user)
        try container.encodeIfPresent(userProof, forKey: .userProof)
        try container.encodeIfPresent(consent, forKey: .consent)
        try container.encodeIfPresent(permission, forKey: .permission)
        try categories.encode(to: &container, .categories)
        try location.encode(to: &container, .location)
        try container.encodeIfPresent(badge, forKey: .badge)
        for field in DeviceField.all { try self[keyPath: field.update].encode(to: &container, field.key) }
    }
}

extension RegistrationUpdate.Change where Value: Encodable {
    fileprivate func encode<Key>(to container: inout KeyedEncodingContainer<Key>, _ key: Key) throws {
        switch self {
        case .keep: break
        case .set(let value?): try container.encode(value, forKey: key)
        case .set(nil): try container.encodeNil(forKey: key)
        }
    }
}
