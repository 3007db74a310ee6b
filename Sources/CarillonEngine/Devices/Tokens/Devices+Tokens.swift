package import CarillonModel
package import CarillonOperatorModel

/// Devices by their tokens, for services that keep tokens and not Devices.
///
/// A Device that its own app registered has a secret. A caller without a secret never reads or changes it; it may only
/// take its token over, as any Device may that registers the token.
extension Devices {
    /// Registers a token.
    ///
    /// A Device that has the token already gets the new values; the id at the service names the Device before the token
    /// does. V1 registers many at once with an API key, by `POST /v1/device-import`.
    ///
    /// - Parameters:
    ///   - token: The token, and what the phone reports with it.
    ///   - app: The App.
    ///   - api: The service.
    ///   - isTrusted: Whether the caller may claim any User, as a back end.
    /// - Returns: Whether it was registered, or how long to wait.
    /// - Throws: ``EngineError/refused(_:)`` when the Device has a secret, or the User requires a proof: the one that it
    ///   names, and the one that the Device has, whose pushes another token would take.
    package func register(
        _ token: TokenRegistration,
        app: AppID,
        api: VendorAPI,
        isTrusted: Bool
    ) async throws(EngineError) -> RegisterResult {
        let device = try await device(of: token, app: app, api: api, isTrusted: isTrusted)
        // The write itself refuses a Device that has a secret; only a VoIP token depends on what the Device has.
        var known: StoredDevice?
        if token.pushType.isVoIP {
            known = try await stored(try await store.device(app: app, device: device))
            if let known, known.secretHash != nil { throw .refused(.wrongDeviceSecret) }
        }
        let content: DeviceChange.Content =
            token.pushType.isVoIP && known != nil ? .update(token.update) : .registration(token.registration)
        let facts = try await apps.facts(app)
        var change = DeviceChange(
            app: app,
            device: device,
            secretHash: nil,
            content: content,
            claim: isTrusted || facts.identity == .open ? .granted : .missing,
            tokensPerUser: facts.tokensPerUser,
            at: clock.now()
        )
        // A registration for calls says nothing about consent, which a file may still bring.
        change.registersAtVendorAPI = !token.pushType.isVoIP
        if let text = token.vendorDeviceID, DeviceID(text) != device { change.vendorDeviceID = text }
        if token.pushType.isVoIP, change.claim != .granted, known?.registration.user != nil {
            try await checkCalls(token, of: device, app: app)
        }
        let result = try await apply(change, facts)
        switch result {
        case .created, .updated:
            if token.pushType.isVoIP { try await setVoIP(token, of: device, app: app) }
        case .limited: break
        }
        return result
    }

    /// Returns the tokens of this value and tenant.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - tenant: Its tenant.
    ///   - app: The App.
    ///   - isTrusted: Whether the caller may read Devices that have a secret.
    /// - Returns: The tokens, at most one of each push type; empty when there is none.
    /// - Throws: ``EngineError/store(_:)``.
    package func tokens(
        _ token: DeviceToken,
        tenant: String?,
        app: AppID,
        isTrusted: Bool
    ) async throws(EngineError) -> [RegisteredToken] {
        try await stored(try await store.tokens(app: app, token, tenant: tenant))
            .filter { isTrusted || !$0.hasSecret }
    }

    /// Returns the tokens of a User, of at most 1,000 Devices.
    package func tokens(of user: UserID, app: AppID) async throws(EngineError) -> [RegisteredToken] {
        try await stored(try await store.tokens(app: app, of: user))
    }

    /// Returns the number of a User's first Device; `nil` when the User has none.
    package func firstNumber(of user: UserID, app: AppID) async throws(EngineError) -> DeviceNumber? {
        let none = DeviceNumber(rawValue: 0)
        return try await stored(try await store.devices(app: app, user: user, after: none, limit: 1)).first?.stored
            .number
    }

    /// Returns the tokens of a Device.
    package func tokens(of device: DeviceID, app: AppID) async throws(EngineError) -> [RegisteredToken] {
        try await stored(try await store.tokens(app: app, of: device))
    }

    /// Returns tokens of all Users, ordered by User; tokens without a User are left out.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - position: The last one of the page before.
    ///   - limit: 1 through 1,000; other values are clamped.
    /// - Returns: The tokens.
    /// - Throws: ``EngineError/store(_:)``.
    package func tokens(
        app: AppID,
        after position: TokenPosition?,
        limit: Int
    ) async throws(EngineError) -> [RegisteredToken] {
        let limit = min(max(1, limit), 1_000)
        return try await stored(try await store.tokens(app: app, after: position, limit: limit))
    }

    /// Removes a token.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is none, ``EngineError/refused(_:)`` when its Device has a
    ///   secret and the caller may not.
    package func remove(_ removal: TokenRemoval) async throws(EngineError) {
        switch try await stored(try await store.removeToken(removal, at: clock.now())) {
        case .deleted: return
        case .refused: throw .refused(.wrongDeviceSecret)
        case .unknown: throw .notFound(.device)
        }
    }

    // MARK: - Private

    /// The Device that a registration is about: by its id at the service, or by the token that it has or had.
    private func device(
        of token: TokenRegistration,
        app: AppID,
        api: VendorAPI,
        isTrusted: Bool
    ) async throws(EngineError) -> DeviceID {
        if let id = token.vendorDeviceID { return DeviceID(vendorID: id, tenant: token.tenant, app: app, api: api) }
        for value in [token.token, token.oldToken].compactMap(\.self) {
            let holders = try await tokens(value, tenant: token.tenant, app: app, isTrusted: isTrusted)
            if let holder = holders.first(where: { $0.pushType == token.pushType }) { return holder.device }
        }
        return DeviceID(vendorID: token.token.hexadecimal, tenant: token.tenant, app: app, api: api)
    }

    /// Checks that a registration leaves the calls of a Device's User where they are.
    private func checkCalls(
        _ token: TokenRegistration,
        of device: DeviceID,
        app: AppID
    ) async throws(EngineError) {
        let isKnown = try await tokens(of: device, app: app).contains { held in
            held.token == token.token && held.pushType == token.pushType && held.registration.tenant == token.tenant
        }
        guard isKnown else { throw .refused(.userProofRequired) }
    }

    private func setVoIP(_ token: TokenRegistration, of device: DeviceID, app: AppID) async throws(EngineError) {
        let voip = VoIPRegistration(token: token.token, pushType: token.pushType)
        _ = try await registerVoIP(voip, of: DeviceCaller(app: app, device: device, secret: nil))
    }
}
