package import CarillonModel
package import Foundation

/// Decides what the SDK sends to the server about the Device, and when.
///
/// It holds what the app wants the server to know beside what the server has confirmed, and sends the difference:
/// everything at first, what changed afterwards, everything again after a week or when the server does not know the
/// Device. One request is in flight at a time; what changes meanwhile goes with the next. It has no clock, no disk and
/// no network: the caller passes the time, a random number and the server's answer.
package struct RegistrationMachine: Equatable, Sendable {
    /// A request to the server.
    package indirect enum Request: Equatable, Sendable {
        case register(Registration)
        case update(RegistrationUpdate)
        case leave
        case erase(Scope)
    }

    /// What to do now.
    package enum Step: Equatable, Sendable {
        /// Nothing: the server is up to date. The next request is due at that time, if at all.
        case idle(until: Timestamp?)
        /// Nothing before that time: a request failed.
        case wait(until: Timestamp)
        /// Nothing: a request is in flight.
        case busy
        /// Send this request and pass the answer to ``RegistrationMachine/finish(_:at:jitter:)``.
        case send(Request)
    }

    /// The server's answer to a request, or that there was none.
    package indirect enum Answer: Equatable, Sendable {
        case accepted(DeviceRecord?)
        case unknownDevice(Problem)
        case wrongSecret(Problem)
        case refused(Problem)
        case failed(retryAfter: TimeInterval?)
    }

    /// What the caller does after an answer.
    package indirect enum Consequence: Equatable, Sendable {
        /// Call ``RegistrationMachine/next(at:)`` again.
        case proceed
        /// The server deleted the Device, as the app asked: remove its identity.
        case deleted
        /// The Device's id belongs to another secret: make a new identity, then call ``RegistrationMachine/next(at:)``.
        case renewIdentity
        /// The server refused the request.
        case refused(Problem)
        /// The request is retried later.
        case failed
    }

    private indirect enum Operation: Equatable {
        case registering(Registration)
        case updating(Registration)
        case leaving
    }

    package private(set) var memory: Memory
    private var inFlight: Operation?
    private var retry = Retry()
    private var hasRenewedIdentity = false

    package init(_ memory: Memory = Memory()) { self.memory = memory }
}

extension RegistrationMachine {
    /// Changes what the server is to know.
    package mutating func change(_ change: (inout Registration) -> Void) {
        let old = memory.registration
        change(&memory.registration)
        if memory.registration != old { retryNow() }
    }

    /// The app registers the Device.
    ///
    /// An erasure that is pending comes first; everything is then sent anew.
    package mutating func register() { memory.intent.register() }

    /// A request needs a Device: it is registered without token and consent, unless the app has registered it.
    package mutating func introduce() { memory.intent.introduce() }

    /// The app unregisters the Device.
    ///
    /// - Parameter scope: What is to be erased, on the server and here; `nil`: the Device is only deleted.
    package mutating func leave(erasing scope: Scope? = nil) {
        memory.intent.leave(erasing: scope)
        if scope != nil { memory.registration = Registration(consent: Consent(notifications: false)) }
        retryNow()
    }

    /// Ends the backoff after a failure or a refusal, unless the server asked to wait.
    package mutating func retryNow() { retry.retryNow() }

    /// Sets the Device's id.
    ///
    /// What the server confirmed for another id, as on a phone restored from another's backup, does not count.
    package mutating func identify(as device: DeviceID) {
        guard memory.device != device else { return }
        memory.device = device
        memory.intent.restart()
    }

    /// The server answered another request that it does not know the Device: everything is sent anew.
    package mutating func markUnknown() { memory.intent.markUnknown() }

    /// Whether the request that ``next(at:)`` would return needs an identity.
    package var needsIdentity: Bool { memory.intent != .none }

    /// Returns what to do now.
    ///
    /// A request that it returns counts as in flight.
    package mutating func next(at now: Timestamp) -> Step {
        guard inFlight == nil else { return .busy }
        if memory.intent != .none, let end = retry.opening(at: now) { return .wait(until: end) }
        switch memory.intent {
        case .none: return .idle(until: nil)
        case .introduced(let standing):
            var registration = memory.registration
            registration.token = nil
            registration.consent = Consent(notifications: false)
            return synchronize(registration, standing, at: now)
        case .registered(let standing): return synchronize(memory.registration, standing, at: now)
        case .leaving:
            inFlight = .leaving
            return .send(.leave)
        case .erasing(let scope, _, _):
            inFlight = .leaving
            return .send(.erase(scope))
        }
    }

    /// Applies the answer to the request in flight.
    ///
    /// - Parameters:
    ///   - answer: The server's answer.
    ///   - now: The time by the phone's clock.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: What the caller does.
    package mutating func finish(_ answer: Answer, at now: Timestamp, jitter: Double) -> Consequence {
        guard let inFlight else { return .proceed }
        self.inFlight = nil
        switch (inFlight, answer) {
        case (.leaving, .accepted), (.leaving, .unknownDevice), (.leaving, .wrongSecret):
            memory.device = nil
            memory.intent.restart()
            retry.succeed()
            return .deleted
        case (.registering(let sent), .accepted(let record)), (.updating(let sent), .accepted(let record)):
            // It is sent once: pushes change the number on the icon meanwhile.
            if memory.registration.badge == sent.badge { memory.registration.badge = nil }
            memory.intent.confirm(Confirmation(sent, record, at: now, jitter: jitter))
            retry.succeed()
            hasRenewedIdentity = false
            return .proceed
        case (.updating, .unknownDevice):
            markUnknown()
            return .proceed
        case (.registering, .wrongSecret(let problem)), (.updating, .wrongSecret(let problem)):
            guard !hasRenewedIdentity else { return refuse(problem, at: now) }
            hasRenewedIdentity = true
            memory.device = nil
            markUnknown()
            return .renewIdentity
        case (_, .refused(let problem)), (.registering, .unknownDevice(let problem)):
            return refuse(problem, at: now)
        case (_, .failed(let retryAfter)):
            retry.fail(retryAfter: retryAfter, at: now, jitter: jitter)
            return .failed
        }
    }

    // MARK: - Private

    private mutating func synchronize(_ registration: Registration, _ standing: Standing, at now: Timestamp) -> Step {
        guard case .confirmed(let confirmation) = standing, !confirmation.isRefreshDue(at: now) else {
            return send(.register(registration), .registering(registration))
        }
        let update = RegistrationUpdate(from: confirmation.registration, to: registration)
        guard !update.isEmpty else { return .idle(until: confirmation.refreshAt) }
        return send(.update(update), .updating(registration))
    }

    private mutating func send(_ request: Request, _ operation: Operation) -> Step {
        inFlight = operation
        memory.intent.markSent()
        return .send(request)
    }

    private mutating func refuse(_ problem: Problem, at now: Timestamp) -> Consequence {
        retry.refuse(at: now)
        return .refused(problem)
    }
}
