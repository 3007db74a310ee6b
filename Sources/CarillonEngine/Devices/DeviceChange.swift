package import CarillonModel
package import CarillonOperatorModel

/// What a Device tells, with what proves that it is the Device.
package struct DeviceChange: Hashable, Sendable {
    /// How much it tells.
    package enum Content: Hashable, Sendable {
        /// Everything: makes the Device if it is not there.
        case registration(Registration)
        /// What changed.
        case update(RegistrationUpdate)
    }

    package var app: AppID
    package var device: DeviceID
    package var secretHash: SecretHash
    package var content: Content
    /// Whether it may claim the User it names; looked at only when that is another one than before.
    package var claim: UserClaim
    /// How many of a User's Devices may have a token.
    package var tokensPerUser: App.TokensPerUser
    /// How many Devices a User may have.
    package var devicesPerUser: Int?
    /// Whether the App may get another Device now.
    package var mayCreate = true
    package var at: Timestamp

    package init(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash,
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

/// What follows from a change, given the Device as it is.
///
/// The rules: a Device is changed only by who has its secret. An imported Device has none; the first registration that
/// brings its token along claims it. Another User needs a claim. Leaving a User gives the Device a new number, so that
/// nothing addressed to the old one reaches the next person; coming from nobody to a User does not.
package enum DevicePlan: Hashable, Sendable {
    /// Nothing is written.
    case refuse(EngineError.Refusal)
    /// There is no such Device to update.
    case unknown
    case create(Registration)
    /// Only the time of registration is written: the token's when the token was told again.
    case touch(DeviceToken.Fate)
    case change(Registration, DeviceToken.Fate, isRenumbered: Bool)
}

extension DeviceToken {
    /// What becomes of a Device's token row.
    package enum Fate: Hashable, Sendable {
        /// The token was told: it is active as of now, whatever it was before.
        case registered
        /// The token was not spoken of.
        case kept
        /// There is none any more.
        case removed
    }
}

extension DeviceChange {
    /// The token that is told.
    package var token: DeviceToken? {
        switch content {
        case .registration(let registration): registration.token
        case .update(let update): update.token.applied(to: nil)
        }
    }

    /// The User who is told.
    package var user: UserID? {
        switch content {
        case .registration(let registration): registration.user
        case .update(let update): update.user.applied(to: nil)
        }
    }

    /// The token that the phone had before, if it tells another one than now.
    package var oldToken: DeviceToken? {
        switch content {
        case .registration(let registration): registration.oldToken == registration.token ? nil : registration.oldToken
        case .update(let update): update.oldToken == update.token.applied(to: nil) ? nil : update.oldToken
        }
    }

    /// What follows from the change.
    ///
    /// - Parameter stored: The Device as it is; `nil` when there is none.
    /// - Returns: What to do.
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
        let isSame = registration == stored.registration && stored.secretHash != nil
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
            return fate == .registered && registration.token == stored.registration.token
                && registration.pushType == stored.registration.pushType
                && registration.tenant == stored.registration.tenant
        }
        return kept == secretHash
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
    /// A proof and the token of before are for one moment; they are not kept.
    fileprivate var withoutProof: Registration {
        var registration = self
        registration.userProof = nil
        registration.oldToken = nil
        return registration
    }
}
