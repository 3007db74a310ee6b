import CarillonModel
import Foundation

/// Carries out what ``InboxMachine`` decides: saves its memory and sends requests.
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

    /// The inbox as it is stored.
    func view() async throws(CarillonError) -> InboxView { try await machine().view }

    /// Changes the inbox and saves it.
    func change(_ change: @Sendable (inout InboxMachine) -> Void) async throws(CarillonError) -> InboxView {
        var machine = try await machine()
        change(&machine)
        try save(machine)
        return machine.view
    }

    /// Erases the inbox.
    func erase() throws(CarillonError) { try save(InboxMachine()) }

    /// Uploads read marks, then fetches the inbox.
    func fetch(as identity: DeviceIdentity) async throws(CarillonError) -> InboxView {
        _ = await uploadMarks(as: identity, retryNow: true)
        let owner = try await machine().memory.owner
        let inbox = try await api.request("GET", "inbox", of: identity).get(Inbox.self)
        let now = time.now()
        return try await change { machine in
            // The user may have changed during the request.
            if machine.memory.owner == owner { machine.replace(with: inbox, at: now) }
        }
    }

    /// Uploads read marks until there are none or a request fails.
    ///
    /// - Returns: Whether all are uploaded.
    func uploadMarks(as identity: DeviceIdentity, retryNow: Bool) async -> Bool {
        while var machine = try? await machine() {
            if retryNow { machine.retry.retryNow() }
            guard let reading = machine.reading else { return true }
            guard machine.retry.opening(at: time.now()) == nil else { return false }
            let reply = await api.request("POST", "inbox/read", of: identity, body: reading)
            if reply.isUnknownDevice { try? await registrations.markUnknown() }
            guard apply(reading, reply) else { return false }
        }
        return false
    }

    /// Uploads read marks when that is due.
    ///
    /// - Parameters:
    ///   - facts: The Device's facts.
    ///   - retryNow: Whether to end the backoff after a failure.
    func synchronize(_ facts: DeviceFacts, retryNow: Bool) async {
        guard await nextDue().map({ retryNow || $0 <= time.now() }) == true else { return }
        do throws(CarillonError) {
            _ = await uploadMarks(as: try await registrations.introduce(facts, retryNow: retryNow), retryNow: retryNow)
        } catch {
            guard var machine = loaded else { return }
            machine.retry.fail(retryAfter: nil, at: time.now(), jitter: random.fraction())
            loaded = machine
        }
    }

    /// When ``synchronize(_:retryNow:)`` is due; `nil`: not before something is read and the server knows the Device.
    func nextDue() async -> Timestamp? {
        guard let machine = try? await machine(), machine.reading != nil,
            (try? await registrations.memory().intent.confirmation) != nil
        else { return nil }
        let now = time.now()
        return machine.retry.opening(at: now) ?? now
    }

    // MARK: - Private

    /// - Returns: Whether to go on with the next request.
    private func apply(_ reading: InboxReading, _ reply: ServerReply) -> Bool {
        guard var machine = loaded else { return false }
        var isHandled = false
        switch reply {
        case .success where reply.value(as: InboxUnread.self) != nil:
            machine.finish(reading)
            machine.retry.succeed()
            isHandled = true
        case .refused(let problem) where [400, 409, 422].contains(problem.status):
            machine.finish(reading)
            isHandled = true
        case .refused where !reply.isUnknownDevice: machine.retry.refuse(at: time.now())
        case .success, .refused, .unavailable, .unreachable:
            machine.retry.fail(retryAfter: reply.retryAfter, at: time.now(), jitter: random.fraction())
        }
        return (try? save(machine)) != nil && isHandled
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

    private func save(_ machine: InboxMachine) throws(CarillonError) {
        if machine.memory != saved {
            try file.save(machine.memory)
            saved = machine.memory
        }
        loaded = machine
    }
}

extension RegistrationCoordinator {
    /// The inbox's owner: the user, or else the Device.
    func owner() throws(CarillonError) -> String {
        let memory = try memory()
        if let user = memory.registration.user { return "user " + user.rawValue }
        return "device " + (memory.device?.description ?? "")
    }
}
