package import CarillonModel
package import CarillonOperatorModel

/// A Device's request to change itself, with its proof.
package struct DeviceChange: Hashable, Sendable {
    /// The extent of the change.
    package enum Content: Hashable, Sendable {
        /// All fields: creates the Device if it does not exist.
        case registration(Registration)
        /// Changed fields only.
        case update(RegistrationUpdate)
    }

    package var app: AppID
    package var device: DeviceID
    /// The hash of the Device's secret; `nil` for a caller without one, who may change only a Device without one.
    package var secretHash: SecretHash?
    /// Whether it is a registration through a vendor API, after which a file of that vendor is older than the Device.
    package var registersAtVendorAPI = false
    /// The Device's id at another service, if that is no UUID.
    package var vendorDeviceID: String?
    package var content: Content
    /// Whether it may claim the User it names; used only when that differs from the former one.
    package var claim: UserClaim
    /// How many of a User's Devices may have a token.
    package var tokensPerUser: App.TokensPerUser
    /// Maximum number of Devices of a User.
    package var devicesPerUser: Int?
    /// Whether the App may create another Device now.
    package var mayCreate = true
    package var at: Timestamp

    package init(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash?,
        content: Content,
        claim: UserClaim,
        tokensPerUser: App.TokensPerUser = .many,
        at: Timestamp
    ) {
        self.app = app
        self.device = device
        self.secretHash = secretHash
        self.content = content
        self.claim = claim
        self.tokensPerUser = tokensPerUser
        self.at = at
    }
}

/// What a change does to the stored Device.
///
/// Only the holder of its secret may change a Device. An imported Device has none, nor has one that a vendor API
/// registered; the first registration with its token claims it. Another User requires a claim. Leaving a User gives the Device a new number, so that nothing
/// addressed to the old one reaches the next person; getting a first User does not.
package enum DevicePlan: Hashable, Sendable {
    /// Nothing is written.
    case refuse(EngineError.Refusal)
    /// There is no such Device to update.
    case unknown
    case create(Registration)
    /// Only the time of registration is written, and the token's when the token was sent again.
    case touch(DeviceToken.Fate)
    case change(Registration, DeviceToken.Fate, isRenumbered: Bool)
}

extension DeviceToken {
    /// What happens to a Device's token row.
    package enum Fate: Hashable, Sendable {
        /// The token was sent: it becomes active, whatever its state was.
        case registered
        /// The request does not mention the token.
        case kept
        /// The token is removed.
        case removed
    }
}

extension DeviceChange {
    /// The token of the request.
    package var token: DeviceToken? {
        switch content {
        case .registration(let registration): registration.token
        case .update(let update): update.token.applied(to: nil)
        }
    }

    /// The User of the request.
    package var user: UserID? {
        switch content {
        case .registration(let registration): registration.user
        case .update(let update): update.user.applied(to: nil)
        }
    }

    /// The phone's former token, if the request has a new one.
    package var oldToken: DeviceToken? {
        switch content {
        case .registration(let registration): registration.oldToken == registration.token ? nil : registration.oldToken
        case .update(let update): update.oldToken == update.token.applied(to: nil) ? nil : update.oldToken
        }
    }

    /// The number that the app set on its icon; `nil` when the request has none.
    package var badge: Int? {
        switch content {
        case .registration(let registration): registration.badge
        case .update(let update): update.badge
        }
    }

    /// Returns what the change does.
    ///
    /// - Parameter stored: The stored Device; `nil` when there is none.
    /// - Returns: The plan.
    package func plan(for stored: StoredDevice?) -> DevicePlan {
        switch (content, stored) {
        case (.update, nil):
            .unknown
        case (.registration(let registration), nil):
            planToCreate(registration)
        case (.registration(let registration), let stored?):
            plan(
                registration.withoutProof,
                registration.token == nil ? .removed : .registered,
                for: stored
            )
        case (.update(let update), let stored?):
            plan(update, for: stored)
        }
    }

    private func planToCreate(_ registration: Registration) -> DevicePlan {
        if let refusal = refusal(for: registration.user, after: nil) { return .refuse(refusal) }
        return mayCreate ? .create(registration.withoutProof) : .refuse(.tooManyNewDevices)
    }

    private func plan(_ update: RegistrationUpdate, for stored: StoredDevice) -> DevicePlan {
        let registration = update.applied(to: stored.registration).withoutProof
        let movesEnvironment =
            registration.pushType != stored.registration.pushType || registration.tenant != stored.registration.tenant
        let fate: DeviceToken.Fate =
            switch update.token {
            case .keep: movesEnvironment && registration.token != nil ? .registered : .kept
            case .set(nil): .removed
            case .set: .registered
            }
        return plan(registration, fate, for: stored)
    }

    private func plan(
        _ registration: Registration,
        _ fate: DeviceToken.Fate,
        for stored: StoredDevice
    ) -> DevicePlan {
        guard isTrusted(registration, fate, stored) else { return .refuse(.wrongDeviceSecret) }
        if let refusal = refusal(for: registration.user, after: stored.registration.user) { return .refuse(refusal) }
        if redirects(stored, to: registration) { return .refuse(.userProofRequired) }
        let isSame =
            registration == stored.registration && stored.secretHash == secretHash
            && (stored.isRegisteredAtVendorAPI || !registersAtVendorAPI)
        let tokenStays = fate != .registered || stored.tokenState == .active
        if isSame && tokenStays { return .touch(fate) }
        let leavesUser = stored.registration.user != nil && stored.registration.user != registration.user
        return .change(registration, fate, isRenumbered: leavesUser)
    }

    private func isTrusted(
        _ registration: Registration,
        _ fate: DeviceToken.Fate,
        _ stored: StoredDevice
    ) -> Bool {
        guard let kept = stored.secretHash else {
            guard secretHash != nil else { return true }
            return fate == .registered && registration.hasToken(of: stored.registration)
        }
        return kept == secretHash
    }

    /// Whether a caller who proves nothing would move the pushes of the stored User to another token.
    private func redirects(_ stored: StoredDevice, to registration: Registration) -> Bool {
        secretHash == nil && claim != .granted && stored.registration.user != nil
            && !registration.hasToken(of: stored.registration)
    }

    private func refusal(for user: UserID?, after old: UserID?) -> EngineError.Refusal? {
        guard let user, user != old else { return nil }
        return switch claim {
        case .granted: nil
        case .missing: .userProofRequired
        case .wrong: .wrongUserProof
        case .tooLong: .userProofTooLong
        }
    }
}

extension Registration {
    /// Whether another registration has the same token, push type and tenant.
    fileprivate func hasToken(of other: Registration) -> Bool {
        token == other.token && pushType == other.pushType && tenant == other.tenant
    }

    /// The proof and the former token are not stored, and the number on the icon is not here.
    fileprivate var withoutProof: Registration {
        var registration = self
        registration.userProof = nil
        registration.oldToken = nil
        registration.badge = nil
        return registration
    }
}
