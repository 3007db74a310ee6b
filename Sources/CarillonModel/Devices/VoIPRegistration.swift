/// The body of `PUT /v1/devices/{device}/voip`: PushKit's token for incoming calls, independent of the device token.
public struct VoIPRegistration: Hashable, Sendable, Codable {
    /// The token from PushKit.
    public var token: DeviceToken
    /// The environment, `apns_voip` or `apns_voip_sandbox`; `apns_voip` when missing.
    public var pushType: PushType

    /// Creates a registration.
    ///
    /// - Parameters:
    ///   - token: The token from PushKit.
    ///   - pushType: `apnsVoIP` or `apnsVoIPSandbox`.
    public init(token: DeviceToken, pushType: PushType = .apnsVoIP) {
        self.token = token
        self.pushType = pushType
    }

    enum CodingKeys: CodingKey {
        case token, pushType
    }

    /// Decodes a registration strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        token = try fields.required(.token)
        pushType = try fields.optional(.pushType) ?? .apnsVoIP
        guard pushType.isVoIP else { throw fields.failure(.pushType, "must be apns_voip or apns_voip_sandbox") }
    }
}

/// The server's record of a Device's VoIP token, without the token itself.
public struct VoIPRecord: Hashable, Sendable, Codable {
    /// The environment.
    public var pushType: PushType
    /// The state of the token.
    public var tokenState: DeviceRecord.TokenState
    /// The last registration, by the server's clock.
    public var registeredAt: Timestamp

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - pushType: The environment.
    ///   - tokenState: The state of the token.
    ///   - registeredAt: The last registration, by the server's clock.
    public init(pushType: PushType, tokenState: DeviceRecord.TokenState, registeredAt: Timestamp) {
        self.pushType = pushType
        self.tokenState = tokenState
        self.registeredAt = registeredAt
    }
}

/// The optional body of `POST /v1/devices/{device}/forget`.
public struct ForgetRequest: Hashable, Sendable, Codable {
    /// True also erases the Device's User, even one with other Devices.
    public var user: Bool

    /// Creates a request.
    ///
    /// - Parameter user: Whether the Device's User is erased too.
    public init(user: Bool = false) { self.user = user }

    enum CodingKeys: CodingKey {
        case user
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        user = try Fields<CodingKeys>(decoder).optional(.user) ?? false
    }
}
