import CarillonModel
import Foundation

/// Does what ``InboxMachine`` decides: keeps its memory on disk and talks to the server.
actor InboxCoordinator {
    private let file: StateFile<InboxMachine.Memory>
    private let registrations: RegistrationCoordinator
    private let api: ServerAPI
    private let time: any TimeSource
    private let random: any RandomSource
    private var loaded: InboxMachine?
    private var saved: InboxMachine.Memory?

    init(
        file: StateFile<InboxMachine.Memory>,
        registrations: RegistrationCoordinator,
        api: ServerAPI,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.file = file
        self.registrations = registrations
        self.api = api
        self.time = time
        self.random = random
    }

    /// What is known without asking the server.
    func view() async throws(CarillonError) -> InboxView { try await machine().view }

    /// Changes what is known, and keeps it.
    func change(_ change: @Sendable (inout InboxMachine) -> Void) async throws(CarillonError) -> InboxView {
        var machine = try await machine()
        change(&machine)
        try keep(machine)
        return machine.view
    }

    /// Forgets everything.
    func forget() throws(CarillonError) { try keep(InboxMachine()) }

    /// Tells the server what was read, then asks it for the inbox.
    func fetch(as identity: DeviceIdentity) async throws(CarillonError) -> InboxView {
        _ = await tell(as: identity, hurry: true)
        let owner = try await machine().memory.owner
        let reply: ServerReply<Inbox> = await api.ask("GET", "inbox", of: identity)
        let inbox = try reply.get()
        let now = time.now()
        return try await change { machine in
            // The person changed while the server answered: it is not theirs.
            if machine.memory.owner == owner { machine.take(inbox, at: now) }
        }
    }

    /// Tells the server what was read, until it knows everything or does not answer.
    ///
    /// - Returns: Whether it knows everything.
    func tell(as identity: DeviceIdentity, hurry: Bool) async -> Bool {
        while var machine = try? await machine() {
            if hurry { machine.retry.retryNow() }
            guard let reading = machine.reading else { return true }
            guard machine.retry.opening(at: time.now()) == nil else { return false }
            let reply: ServerReply<InboxUnread> = await api.ask("POST", "inbox/read", of: identity, body: reading)
            if reply.isUnknownDevice { try? await registrations.markUnknown() }
            guard conclude(reading, reply) else { return false }
        }
        return false
    }

    /// Tells the server what was read, if it knows the Device.
    ///
    /// - Parameters:
    ///   - facts: What the Device tells about itself.
    ///   - hurry: Whether to try again at once what failed before.
    func bring(_ facts: DeviceFacts, hurry: Bool) async {
        guard await nextDue().map({ hurry || $0 <= time.now() }) == true else { return }
        do throws(CarillonError) {
            _ = await tell(as: try await registrations.introduce(facts, hurry: hurry), hurry: hurry)
        } catch {
            guard var machine = loaded else { return }
            machine.retry.fail(retryAfter: nil, at: time.now(), jitter: random.fraction())
            loaded = machine
        }
    }

    /// When ``bring(_:hurry:)`` has something to do; `nil`: not before something is read, or the server knows the Device.
    func nextDue() async -> Timestamp? {
        guard let machine = try? await machine(), machine.reading != nil,
            (try? await registrations.memory().intent.confirmation) != nil
        else { return nil }
        let now = time.now()
        return machine.retry.opening(at: now) ?? now
    }

    // MARK: - Private

    /// - Returns: Whether it makes sense to go on.
    private func conclude(_ reading: InboxReading, _ reply: ServerReply<InboxUnread>) -> Bool {
        guard var machine = loaded else { return false }
        var goesOn = false
        switch reply {
        case .taken:
            machine.finish(reading)
            machine.retry.succeed()
            goesOn = true
        case .refused(let problem) where [400, 409, 422].contains(problem.status):
            machine.finish(reading)
            goesOn = true
        case .refused where !reply.isUnknownDevice: machine.retry.refuse(at: time.now())
        case .refused, .later, .unreachable:
            machine.retry.fail(retryAfter: reply.retryAfter, at: time.now(), jitter: random.fraction())
        }
        return (try? keep(machine)) != nil && goesOn
    }

    private func machine() async throws(CarillonError) -> InboxMachine {
        let owner = try await registrations.owner()
        var machine: InboxMachine
        if let loaded {
            machine = loaded
        } else {
            saved = try file.load()
            machine = InboxMachine(saved ?? InboxMachine.Memory())
        }
        machine.belong(to: owner)
        loaded = machine
        return machine
    }

    private func keep(_ machine: InboxMachine) throws(CarillonError) {
        if machine.memory != saved {
            try file.save(machine.memory)
            saved = machine.memory
        }
        loaded = machine
    }
}

extension RegistrationCoordinator {
    /// Whose inbox the phone's is: the user's, or else the Device's own.
    func owner() throws(CarillonError) -> String {
        let memory = try memory()
        if let user = memory.registration.user { return "user " + user.rawValue }
        return "device " + (memory.device?.description ?? "")
    }
}
