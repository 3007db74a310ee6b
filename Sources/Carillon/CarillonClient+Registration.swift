public import CarillonModel
import Foundation

extension CarillonClient {
    /// Registers this installation with consent, a user or none, and the Device's facts.
    ///
    /// Calling it again is cheap: only what changed is sent.
    ///
    /// - Parameters:
    ///   - consent: What the person agreed to.
    ///   - user: The user, by the app's own id; `nil`: nobody.
    ///   - proof: The back end's signature, for an App whose identity is `signed`.
    /// - Returns: The registration that the server confirmed.
    /// - Throws: ``CarillonError``; the SDK retries unless the server refused the registration.
    @discardableResult
    public func register(
        consent: Consent,
        user: UserID? = nil,
        proof: UserProof? = nil
    ) async throws(CarillonError) -> Registered {
        let facts = facts()
        try await registrations.register { registration in
            facts.write(to: &registration)
            registration.consent = consent
            registration.user = user
            registration.userProof = proof
        }
        try await synchronize()
        guard let registered = try await lastRegistration else { throw .notRegistered }
        return registered
    }

    /// Registers this installation again with the consent and the user of the last registration.
    ///
    /// Without an earlier registration it has no consent and no user.
    ///
    /// - Returns: The registration that the server confirmed.
    /// - Throws: ``CarillonError``; the SDK retries unless the server refused the registration.
    @discardableResult
    public func register() async throws(CarillonError) -> Registered {
        let known = try await registrations.memory().registration
        return try await register(consent: known.consent, user: known.user, proof: known.userProof)
    }

    /// Sets the device token, or removes it.
    ///
    /// Sent at once when registered.
    ///
    /// - Parameter token: The token; `nil`: there is none any more.
    /// - Throws: ``CarillonError``; the change is saved and sent later.
    public func setDeviceToken(_ token: DeviceToken?) async throws(CarillonError) {
        try await change { $0.token = token }
    }

    /// Sets the system's permission for notifications.
    ///
    /// Sent at once when registered.
    ///
    /// - Parameter permission: The permission.
    /// - Throws: ``CarillonError``; the change is saved and sent later.
    public func setPermission(_ permission: NotificationPermission) async throws(CarillonError) {
        try await change { $0.permission = permission }
    }

    /// Sets the user of the app.
    ///
    /// Sent at once when registered.
    ///
    /// - Parameters:
    ///   - user: The user, by the app's own id; `nil`: nobody, as after a logout. The device token stays.
    ///   - proof: The back end's signature, for an App whose identity is `signed`.
    /// - Throws: ``CarillonError``; the change is saved and sent later.
    public func setUser(_ user: UserID?, proof: UserProof? = nil) async throws(CarillonError) {
        try await change { registration in
            registration.user = user
            registration.userProof = proof
        }
    }

    /// Sets the person's consent.
    ///
    /// Sent at once when registered.
    ///
    /// - Parameter consent: The consent.
    /// - Throws: ``CarillonError``; the change is saved and sent later.
    public func setConsent(_ consent: Consent) async throws(CarillonError) {
        try await change { $0.consent = consent }
    }

    /// Tells the server the number on the app's icon, from which messages that add to it count.
    ///
    /// `setBadge` does it by itself.
    ///
    /// - Parameter count: The number, 0 through 99,999; others count as the nearest of these.
    /// - Throws: ``CarillonError``; the number is saved and sent later.
    public func reportBadge(_ count: Int) async throws(CarillonError) {
        try await change { $0.badge = min(max(0, count), Registration.badges.upperBound) }
    }

    /// Deletes this installation on the server, and its identity here.
    ///
    /// Does nothing when it is not registered. A VoIP token stays: it is registered again, for an anonymous installation.
    ///
    /// - Throws: ``CarillonError``; the SDK retries until the server confirms it.
    public func unregister() async throws(CarillonError) {
        try await registrations.leave()
        try await synchronize()
        // A VoIP token that cannot be sent now is sent later; unregistering succeeded.
        let facts = facts()
        try? await calls.synchronize(facts, retryNow: true)
    }

    /// What ``erase(_:)`` erases on the server.
    public enum Erasure: Hashable, Sendable {
        /// This installation: the Device, its tokens and its events, and the inbox and surveys' id on this phone. The
        /// user's data goes with their last Device.
        case device
        /// This installation, and the user's tags, attributes and inbox.
        case user
    }

    /// Erases data about this installation, or about its user too, on the server.
    ///
    /// Events that wait here, the inbox's copy and the id for surveys are erased at once. The next registration is a new
    /// installation.
    ///
    /// - Parameter erasure: What to erase.
    /// - Throws: ``CarillonError``; the SDK retries until the server confirms it.
    public func erase(_ erasure: Erasure) async throws(CarillonError) {
        let scope: RegistrationMachine.Scope =
            switch erasure {
            case .device: .device
            case .user: .user
            }
        try await registrations.leave(erasing: scope)
        try await inboxes.erase()
        try await calls.erase()
        await events.erase()
        surveys.erase()
        for part in parts.all { await part.erase(self) }
        // Of products that the app has not used since its launch there is no part.
        StorageFolder.removePersonal(for: configuration)
        try await synchronize()
    }

    /// The registration that the server confirmed last; `nil` when there is none.
    ///
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public var lastRegistration: Registered? {
        get async throws(CarillonError) {
            let memory = try await registrations.memory()
            if case .introduced = memory.intent { return nil }
            guard let device = memory.device, let last = memory.intent.confirmation else { return nil }
            return Registered(device: device, confirmation: last)
        }
    }

    /// Fetches the server's record of this installation.
    ///
    /// - Returns: The server's record.
    /// - Throws: ``CarillonError``; `notRegistered` when nothing is registered.
    public func fetchRecord() async throws(CarillonError) -> DeviceRecord {
        try await withDeadline(of: configuration.deadline, time) { [registrations] () throws(CarillonError) in
            try await registrations.record()
        }.get(DeviceRecord.self)
    }

    /// Saves the system's answers; the next registration or change sends them.
    func prepare(token: DeviceToken?, permission: NotificationPermission) async throws(CarillonError) {
        try await registrations.change { registration in
            registration.token = token
            registration.permission = permission
        }
    }

    /// Saves the system's answers; the next registration or change sends them.
    func prepare(permission: NotificationPermission) async throws(CarillonError) {
        try await registrations.change { $0.permission = permission }
    }

    func change(_ change: @escaping @Sendable (inout Registration) -> Void) async throws(CarillonError) {
        let facts = facts()
        try await registrations.change { registration in
            facts.write(to: &registration)
            change(&registration)
        }
        try await synchronize()
    }

    func synchronize() async throws(CarillonError) {
        defer { signal.wake() }
        try await withDeadline(of: configuration.deadline, time) { [registrations] () throws(CarillonError) in
            try await registrations.synchronize(retryNow: true)
        }
    }
}
