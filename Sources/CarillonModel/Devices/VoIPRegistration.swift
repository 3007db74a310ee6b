/// The body of `PUT /v1/devices/{device}/voip`: PushKit's token for incoming calls, apart from the one for notifications.
public struct VoIPRegistration: Hashable, Sendable, Codable {
    /// The token that PushKit handed to the app.
    public var token: DeviceToken
    /// Which environment it belongs to, `apns_voip` or `apns_voip_sandbox`; missing: `apns_voip`.
    public var pushType: PushType

    /// Makes a registration.
    ///
    /// - Parameters:
    ///   - token: The token that PushKit handed to the app.
    ///   - pushType: `apnsVoIP` or `apnsVoIPSandbox`.
    public init(token: DeviceToken, pushType: PushType = .apnsVoIP) {
        self.token = token
        self.pushType = pushType
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case token, pushType
    }

    /// Reads a registration strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        token = try fields.required(.token)
        pushType = try fields.optional(.pushType) ?? .apnsVoIP
        guard pushType.isVoIP else { throw fields.failure(.pushType, "must be apns_voip or apns_voip_sandbox") }
    }
}

/// What the server knows of a Device's token for incoming calls, which it never shows.
public struct VoIPRecord: Hashable, Sendable, Codable {
    /// Which environment it belongs to.
    public var pushType: PushType
    /// What became of it.
    public var tokenState: DeviceRecord.TokenState
    /// When it was registered last, by the server's clock.
    public var registeredAt: Timestamp

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - pushType: Which environment it belongs to.
    ///   - tokenState: What became of it.
    ///   - registeredAt: When it was registered last, by the server's clock.
    public init(pushType: PushType, tokenState: DeviceRecord.TokenState, registeredAt: Timestamp) {
        self.pushType = pushType
        self.tokenState = tokenState
        self.registeredAt = registeredAt
    }
}

/// The body of `POST /v1/devices/{device}/forget`, which may be missing.
public struct ForgetRequest: Hashable, Sendable, Codable {
    /// True forgets the Device's User too, whatever other Devices the User has.
    public var user: Bool

    /// Makes a request.
    ///
    /// - Parameter user: Whether the Device's User is forgotten too.
    public init(user: Bool = false) { self.user = user }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case user
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        user = try Fields<CodingKeys>(decoder).optional(.user) ?? false
    }
}
