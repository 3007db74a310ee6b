import CarillonModel
import Foundation

/// Does what ``VoIPMachine`` decides: keeps its memory on disk and talks to the server.
actor VoIPCoordinator {
    private let file: StateFile<VoIPMachine.Memory>
    private let registrations: RegistrationCoordinator
    private let api: ServerAPI
    private let time: any TimeSource
    private let random: any RandomSource
    private var loaded: VoIPMachine?
    private var flight: Task<CarillonError?, Never>?

    init(
        file: StateFile<VoIPMachine.Memory>,
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

    /// What the server confirmed last, without asking it.
    func record() throws(CarillonError) -> VoIPRecord? { try machine().memory.record }

    /// The token that the server is to know.
    func wanted() throws(CarillonError) -> VoIPRegistration? { try machine().memory.wanted }

    /// Changes what the server is to know, and keeps it; sends nothing.
    func want(_ token: VoIPRegistration?) throws(CarillonError) {
        try update { $0.want(token) }
    }

    /// Forgets everything, for the Device is forgotten.
    func forget() throws(CarillonError) { try keep(VoIPMachine()) }

    /// Sends what is to be sent; calls at the same time wait for each other.
    ///
    /// - Parameters:
    ///   - facts: What the Device tells about itself, if it has to be made known.
    ///   - hurry: Whether to try again at once what failed before.
    /// - Throws: ``CarillonError`` why the server does not know everything; it will be tried again.
    func synchronize(_ facts: DeviceFacts, hurry: Bool) async throws(CarillonError) {
        while let flight { _ = await flight.value }
        if hurry { try update { $0.retry.retryNow() } }
        let task = Task { await self.bring(facts, hurry) }
        flight = task
        if let error = await task.value { throw error }
    }

    private func bring(_ facts: DeviceFacts, _ hurry: Bool) async -> CarillonError? {
        // Before the task is over: who waits for it asks at once whether there is another.
        defer { flight = nil }
        do throws(CarillonError) {
            while true {
                let device = try await registrations.memory().device
                switch try machine().next(for: device, at: time.now()) {
                case .idle: return nil
                case .wait: return .unreachable
                case .put(let token): try await put(token, facts, hurry)
                case .delete: try await delete(as: introduce(facts, hurry))
                }
            }
        } catch {
            return error
        }
    }

    /// When ``synchronize(_:hurry:)`` has something to do by itself; `nil`: not before something changes.
    func nextDue() async -> Timestamp? {
        guard let machine = try? machine(), let memory = try? await registrations.memory() else { return nil }
        let now = time.now()
        switch machine.next(for: memory.device, at: now) {
        case .idle(let until): return until
        case .wait(let until): return until
        case .put, .delete: return now
        }
    }

    // MARK: - Private

    /// A Device that cannot be made known is a failure of this call too: it is not tried more often for it.
    private func introduce(_ facts: DeviceFacts, _ hurry: Bool) async throws(CarillonError) -> DeviceIdentity {
        do throws(CarillonError) {
            return try await registrations.introduce(facts, hurry: hurry)
        } catch {
            let (now, jitter) = (time.now(), random.fraction())
            try update { $0.retry.fail(retryAfter: nil, at: now, jitter: jitter) }
            throw error
        }
    }

    private func put(_ token: VoIPRegistration, _ facts: DeviceFacts, _ hurry: Bool) async throws(CarillonError) {
        var identity = try await introduce(facts, hurry)
        var reply: ServerReply<VoIPRecord> = await api.ask("PUT", "voip", of: identity, body: token)
        if reply.isUnknownDevice {
            try await registrations.markUnknown()
            identity = try await introduce(facts, hurry)
            reply = await api.ask("PUT", "voip", of: identity, body: token)
        }
        let record = try check(reply)
        let (now, jitter) = (time.now(), random.fraction())
        try update { $0.confirm(token, record, for: identity.device, at: now, jitter: jitter) }
    }

    private func delete(as identity: DeviceIdentity) async throws(CarillonError) {
        let reply = await api.say("DELETE", "voip", of: identity)
        if case .refused(let problem) = reply, problem.status == 404 { return try update { $0.finishLeaving() } }
        try check(reply)
        try update { $0.finishLeaving() }
    }

    /// Writes down when to try again before it throws.
    @discardableResult
    private func check<Value>(_ reply: ServerReply<Value>) throws(CarillonError) -> Value {
        let (now, jitter) = (time.now(), random.fraction())
        switch reply {
        case .taken: break
        case .refused: try update { $0.retry.refuse(at: now) }
        case .later, .unreachable:
            try update { $0.retry.fail(retryAfter: reply.retryAfter, at: now, jitter: jitter) }
        }
        return try reply.get()
    }

    private func machine() throws(CarillonError) -> VoIPMachine {
        if let loaded { return loaded }
        let machine = VoIPMachine(try file.load() ?? VoIPMachine.Memory())
        loaded = machine
        return machine
    }

    private func update(_ change: (inout VoIPMachine) -> Void) throws(CarillonError) {
        var machine = try machine()
        change(&machine)
        try keep(machine)
    }

    private func keep(_ machine: VoIPMachine) throws(CarillonError) {
        if machine.memory != loaded?.memory { try file.save(machine.memory) }
        loaded = machine
    }
}
