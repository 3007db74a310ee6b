package import CarillonModel
package import Foundation

/// Decides what the server is told about the Device, and when.
///
/// It keeps what the Device wants known beside what the server has confirmed. The difference is what is sent: everything
/// at first, what changed afterwards, everything again after a week or when the server does not know the Device. One
/// request is under way at a time; whatever changes meanwhile goes with the next. It holds no clock, no disk and no
/// network: the time, a random number and the server's answer are handed in.
package struct RegistrationMachine: Equatable, Sendable {
    /// What outlives the process.
    package struct Memory: Codable, Equatable, Sendable {
        /// The Device that the rest is about; another one has confirmed nothing.
        package var device: DeviceID?
        /// What the server is to know.
        package var registration = Registration(consent: Consent(notifications: false))
        /// Whether the app asked to be registered; before that, facts are only gathered.
        package var isWanted = false
        /// Whether the app asked to be forgotten, and the server has not confirmed it.
        package var isLeaving = false
        /// Whether the server may know the Device: set before the first request leaves.
        package var mayBeKnown = false
        /// What the server confirmed last.
        package var confirmed: Registration?
        /// When, by the phone's clock.
        package var confirmedAt: Timestamp?
        /// When everything is said again at the latest.
        package var refreshAt: Timestamp?
        /// The server's last record, if it was understood.
        package var record: DeviceRecord?
        /// Whether the Device was made known for a call that needs one, and the app never registered.
        package var isSilent: Bool?
        /// What else is to be forgotten when leaving; missing: nothing but the Device.
        package var forgetting: Forgetting?

        package init() {}

        /// Reads what an earlier SDK may have written; a record that it understood otherwise is left out.
        package init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            device = try fields.decodeIfPresent(DeviceID.self, forKey: .device)
            registration = try fields.decode(Registration.self, forKey: .registration)
            isWanted = try fields.decode(Bool.self, forKey: .isWanted)
            isLeaving = try fields.decode(Bool.self, forKey: .isLeaving)
            mayBeKnown = try fields.decode(Bool.self, forKey: .mayBeKnown)
            confirmed = try fields.decodeIfPresent(Registration.self, forKey: .confirmed)
            confirmedAt = try fields.decodeIfPresent(Timestamp.self, forKey: .confirmedAt)
            refreshAt = try fields.decodeIfPresent(Timestamp.self, forKey: .refreshAt)
            record = try? fields.decodeIfPresent(DeviceRecord.self, forKey: .record)
            isSilent = try fields.decodeIfPresent(Bool.self, forKey: .isSilent)
            forgetting = try fields.decodeIfPresent(Forgetting.self, forKey: .forgetting)
        }
    }

    /// What is forgotten besides the Device itself.
    package enum Forgetting: String, Codable, Equatable, Sendable {
        /// Its events and what it has read.
        case device
        /// Everything of its User too.
        case user
    }

    /// What to send.
    package indirect enum Request: Equatable, Sendable {
        case register(Registration)
        case update(RegistrationUpdate)
        case leave
        case forget(Forgetting)
    }

    /// What to do now.
    package enum Step: Equatable, Sendable {
        /// The server knows everything; look again at that time, if there is one.
        case idle(until: Timestamp?)
        /// Something failed; look again at that time.
        case wait(until: Timestamp)
        /// A request is under way.
        case busy
        /// Send this and hand in the answer.
        case send(Request)
    }

    /// What came of a request.
    package indirect enum Answer: Equatable, Sendable {
        case taken(DeviceRecord?)
        case unknownDevice(Problem)
        case wrongSecret(Problem)
        case refused(Problem)
        case failed(retryAfter: TimeInterval?)
    }

    /// What follows from an answer.
    package enum Consequence: Equatable, Sendable {
        /// Ask for the next step.
        case proceed
        /// The server forgot the Device, as the app asked: drop its identity.
        case forgotten
        /// Another has this id: make a new identity, then ask for the next step.
        case renewIdentity
        /// The server said no.
        case refused(Problem)
        /// It will be tried again.
        case failed
    }

    private indirect enum Flight: Equatable {
        case registering(Registration)
        case updating(Registration)
        case leaving
    }

    package private(set) var memory: Memory
    private var flight: Flight?
    private var hold: Hold?
    private var attempts = 0
    private var hasRenewedIdentity = false

    /// A day, for everything that is wrong for longer than a network is.
    private static let day: TimeInterval = 86_400

    package init(_ memory: Memory = Memory()) { self.memory = memory }
}

extension RegistrationMachine {
    /// Changes what the server is to know.
    package mutating func tell(_ change: (inout Registration) -> Void) {
        let old = memory.registration
        change(&memory.registration)
        if memory.registration != old { hurry() }
    }

    /// The app asks to be registered.
    ///
    /// What a person asked to have forgotten is still forgotten first; everything is then said anew.
    package mutating func want() {
        memory.isWanted = true
        memory.isSilent = nil
        guard memory.forgetting == nil || !memory.mayBeKnown else { return }
        memory.isLeaving = false
        memory.forgetting = nil
    }

    /// A call needs a Device: it is made known without token and consent, unless the app has registered.
    package mutating func introduce() {
        guard !memory.isWanted else { return }
        want()
        memory.isSilent = true
    }

    /// The app asks to be forgotten.
    ///
    /// - Parameter forgetting: What else is to be forgotten, on the server and here; `nil`: nothing but the Device.
    package mutating func leave(_ forgetting: Forgetting? = nil) {
        memory.isWanted = false
        memory.isLeaving = true
        memory.forgetting = forgetting ?? memory.forgetting
        if forgetting != nil { memory.registration = Registration(consent: Consent(notifications: false)) }
        hurry()
    }

    /// Tries again at once what failed or was refused, unless the server asked to wait.
    package mutating func hurry() {
        if hold?.cause != .askedByServer { hold = nil }
    }

    /// Says who the Device is.
    ///
    /// What another one had confirmed, as one on the phone that was backed up, counts for nothing.
    package mutating func identify(as device: DeviceID) {
        guard memory.device != device else { return }
        memory.device = device
        memory.confirmed = nil
        memory.confirmedAt = nil
        memory.refreshAt = nil
        memory.record = nil
        memory.mayBeKnown = false
    }

    /// The server does not know the Device, as it said to another question: everything is said anew.
    package mutating func markUnknown() {
        memory.confirmed = nil
        memory.record = nil
    }

    /// Whether the step that ``next(at:)`` would give needs an identity.
    package var needsIdentity: Bool { memory.isWanted || (memory.isLeaving && memory.mayBeKnown) }

    /// What to do now.
    ///
    /// A request that is handed out counts as under way.
    package mutating func next(at now: Timestamp) -> Step {
        guard flight == nil else { return .busy }
        if memory.isLeaving, !memory.mayBeKnown { forget() }
        if let hold, hold.isOn(at: now), memory.isWanted || memory.isLeaving { return .wait(until: hold.end) }
        hold = nil
        if memory.isLeaving {
            flight = .leaving
            return .send(memory.forgetting.map(Request.forget) ?? .leave)
        }
        guard memory.isWanted else { return .idle(until: nil) }
        guard let confirmed = memory.confirmed, !isRefreshDue(at: now) else {
            flight = .registering(told)
            memory.mayBeKnown = true
            return .send(.register(told))
        }
        let update = RegistrationUpdate(from: confirmed, to: told)
        guard !update.isEmpty else { return .idle(until: memory.refreshAt) }
        flight = .updating(told)
        return .send(.update(update))
    }

    /// Takes what came of the request that is under way.
    ///
    /// - Parameters:
    ///   - answer: What came of it.
    ///   - now: The time by the phone's clock.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: What follows.
    package mutating func finish(_ answer: Answer, at now: Timestamp, jitter: Double) -> Consequence {
        guard let flight else { return .proceed }
        self.flight = nil
        switch (flight, answer) {
        case (.leaving, .taken), (.leaving, .unknownDevice), (.leaving, .wrongSecret):
            forget()
            return .forgotten
        case (.registering(let sent), .taken(let record)), (.updating(let sent), .taken(let record)):
            confirm(sent, record, at: now, jitter: jitter)
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
            attempts += 1
            hold = .after(attempts: attempts, retryAfter: retryAfter, now: now, jitter: jitter)
            return .failed
        }
    }

    // MARK: - Private

    /// What the server is told: of a Device that the app has not registered, neither token nor consent.
    private var told: Registration {
        var registration = memory.registration
        guard memory.isSilent == true else { return registration }
        registration.token = nil
        registration.consent = Consent(notifications: false)
        return registration
    }

    private mutating func confirm(_ sent: Registration, _ record: DeviceRecord?, at now: Timestamp, jitter: Double) {
        memory.confirmed = sent
        memory.confirmedAt = now
        // Between six and seven days, so that phones which registered together do not come back together.
        memory.refreshAt = Timestamp(rawValue: now.rawValue + Int64((6 + jitter) * Self.day * 1000))
        memory.record = record
        attempts = 0
        hasRenewedIdentity = false
    }

    /// The same question would get the same answer: it is asked again when something changed, or after a day.
    private mutating func refuse(_ problem: Problem, at now: Timestamp) -> Consequence {
        hold = Hold(from: now, seconds: Self.day, cause: .refusal)
        return .refused(problem)
    }

    private mutating func forget() {
        memory.device = nil
        memory.isLeaving = false
        memory.isSilent = nil
        memory.forgetting = nil
        memory.mayBeKnown = false
        memory.confirmed = nil
        memory.confirmedAt = nil
        memory.refreshAt = nil
        memory.record = nil
        attempts = 0
    }

    /// A clock that went back by more than a day is no reason to stay silent for longer than a week.
    private func isRefreshDue(at now: Timestamp) -> Bool {
        guard let confirmedAt = memory.confirmedAt, let refreshAt = memory.refreshAt else { return true }
        return now >= refreshAt || now.rawValue < confirmedAt.rawValue - Int64(Self.day * 1000)
    }
}
