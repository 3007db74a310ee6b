public import CarillonModel
import Foundation

extension CarillonClient {
    /// What the server was told last, and what it answered.
    public struct Registered: Hashable, Sendable {
        /// The Device's public id.
        public let device: DeviceID
        /// What the server was told.
        public let registration: Registration
        /// What the server knows; `nil` when it answered in words that this SDK does not know.
        public let record: DeviceRecord?
        /// When, by the phone's clock.
        public let at: Timestamp
    }

    /// Registers this installation: with consent, with a user or none, and with what the phone tells about itself.
    ///
    /// Calling it again is fine and cheap: only what changed is sent.
    ///
    /// - Parameters:
    ///   - consent: What the person agreed to.
    ///   - user: The person, under the app's own id; `nil`: nobody.
    ///   - proof: Made by the app's back end, for an App whose identity is `signed`.
    /// - Returns: What is registered now.
    /// - Throws: ``CarillonError``; the registration is tried again unless the server refused it.
    @discardableResult
    public func register(
        consent: Consent,
        user: UserID? = nil,
        proof: UserProof? = nil
    ) async throws(CarillonError) -> Registered {
        let facts = facts()
        try await registrations.want { registration in
            facts.write(to: &registration)
            registration.consent = consent
            registration.user = user
            registration.userProof = proof
        }
        try await synchronize()
        guard let registered = try await lastRegistered() else { throw .notRegistered }
        return registered
    }

    /// Registers this installation again as the app did last: with the same consent and the same user.
    ///
    /// Without an earlier registration there is no consent and nobody.
    ///
    /// - Returns: What is registered now.
    /// - Throws: ``CarillonError``; the registration is tried again unless the server refused it.
    @discardableResult
    public func register() async throws(CarillonError) -> Registered {
        let known = try await registrations.memory().registration
        return try await register(consent: known.consent, user: known.user, proof: known.userProof)
    }

    /// Tells the token that Apple gave the app, or that there is none any more.
    ///
    /// Sent at once when registered.
    ///
    /// - Parameter token: The token.
    /// - Throws: ``CarillonError``; the change is kept and sent later.
    public func setDeviceToken(_ token: DeviceToken?) async throws(CarillonError) {
        try await change { $0.token = token }
    }

    /// Tells what the system lets the app do.
    ///
    /// Sent at once when registered.
    ///
    /// - Parameter permission: The system's answer.
    /// - Throws: ``CarillonError``; the change is kept and sent later.
    public func setPermission(_ permission: NotificationPermission) async throws(CarillonError) {
        try await change { $0.permission = permission }
    }

    /// Tells who uses the app from now on.
    ///
    /// Sent at once when registered.
    ///
    /// - Parameters:
    ///   - user: The person, under the app's own id; `nil`: nobody, as after logging out. The device token stays.
    ///   - proof: Made by the app's back end, for an App whose identity is `signed`.
    /// - Throws: ``CarillonError``; the change is kept and sent later.
    public func setUser(_ user: UserID?, proof: UserProof? = nil) async throws(CarillonError) {
        try await change { registration in
            registration.user = user
            registration.userProof = proof
        }
    }

    /// Tells what the person agrees to from now on.
    ///
    /// Sent at once when registered.
    ///
    /// - Parameter consent: What the person agrees to.
    /// - Throws: ``CarillonError``; the change is kept and sent later.
    public func setConsent(_ consent: Consent) async throws(CarillonError) {
        try await change { $0.consent = consent }
    }

    /// Asks the server to forget this installation, and forgets its identity here.
    ///
    /// Fine when it is not registered. A token for calls stays: it is told again, for an installation without a name.
    ///
    /// - Throws: ``CarillonError``; it is tried again until the server has forgotten.
    public func unregister() async throws(CarillonError) {
        try await registrations.leave()
        try await synchronize()
        // What is not told now is told later; unregistering worked all the same.
        let facts = facts()
        try? await calls.synchronize(facts, hurry: true)
    }

    /// Asks the server to forget everything about this installation: the Device and its tokens, events and inbox, and by
    /// default also the user's tags, attributes and what they have read.
    ///
    /// Events that wait here, the inbox's copy and the id for surveys are gone at once.
    ///
    /// - Parameter user: False leaves the user alone, unless this was their last Device.
    /// - Throws: ``CarillonError``; it is tried again until the server has forgotten.
    public func forgetMe(user: Bool = true) async throws(CarillonError) {
        try await registrations.leave(erasing: user ? .user : .device)
        try await inboxes.forget()
        try await calls.forget()
        await events.forget()
        surveys.forget()
        try await synchronize()
    }

    /// What was last registered, from the phone's own memory.
    ///
    /// - Returns: What the server confirmed last; `nil` when nothing is registered.
    /// - Throws: ``CarillonError`` when the memory cannot be read.
    public func lastRegistered() async throws(CarillonError) -> Registered? {
        let memory = try await registrations.memory()
        if case .introduced = memory.intent { return nil }
        guard let device = memory.device, let last = memory.intent.confirmation else { return nil }
        return Registered(device: device, registration: last.registration, record: last.record, at: last.at)
    }

    /// Asks the server what it knows of this installation.
    ///
    /// - Returns: The server's record.
    /// - Throws: ``CarillonError``; `notRegistered` when nothing is registered.
    public func fetchRecord() async throws(CarillonError) -> DeviceRecord {
        try await withDeadline(of: configuration.deadline, time) { [registrations] () throws(CarillonError) in
            try await registrations.record()
        }
    }

    /// Keeps what the system said, to be sent with the next registration or change.
    func prepare(token: DeviceToken?, permission: NotificationPermission) async throws(CarillonError) {
        try await registrations.tell { registration in
            registration.token = token
            registration.permission = permission
        }
    }

    /// Keeps what the system said, to be sent with the next registration or change.
    func prepare(permission: NotificationPermission) async throws(CarillonError) {
        try await registrations.tell { $0.permission = permission }
    }

    func change(_ change: @escaping @Sendable (inout Registration) -> Void) async throws(CarillonError) {
        let facts = facts()
        try await registrations.tell { registration in
            facts.write(to: &registration)
            change(&registration)
        }
        try await synchronize()
    }

    func synchronize() async throws(CarillonError) {
        defer { signal.wake() }
        try await withDeadline(of: configuration.deadline, time) { [registrations] () throws(CarillonError) in
            try await registrations.synchronize(hurry: true)
        }
    }
}
