import CarillonModel
import Foundation

/// Carries out what ``VoIPMachine`` decides: saves its memory and sends requests.
actor VoIPCoordinator {
    private let file: StateFile<VoIPMachine.Memory>
    private let registrations: RegistrationCoordinator
    private let api: ServerAPI
    private let time: any TimeSource
    private let random: any RandomSource
    private var loaded: VoIPMachine?
    private var inFlight: Task<CarillonError?, Never>?

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

    /// The server's last record.
    func record() throws(CarillonError) -> VoIPRecord? { try machine().memory.record }

    /// The token that the server is to know.
    func token() throws(CarillonError) -> VoIPRegistration? { try machine().memory.wanted }

    /// Changes the token and saves it; sends nothing.
    func setToken(_ token: VoIPRegistration?) throws(CarillonError) {
        try update { $0.setToken(token) }
    }

    /// Erases everything, because the Device is erased.
    func erase() throws(CarillonError) { try save(VoIPMachine()) }

    /// Sends requests until the server is up to date; concurrent calls are serialized.
    ///
    /// - Parameters:
    ///   - facts: The Device's facts, for its registration.
    ///   - retryNow: Whether to end the backoff after a failure.
    /// - Throws: ``CarillonError`` when the server is not up to date; the SDK retries.
    func synchronize(_ facts: DeviceFacts, retryNow: Bool) async throws(CarillonError) {
        while let inFlight { _ = await inFlight.value }
        if retryNow { try update { $0.retry.retryNow() } }
        let task = Task { await self.run(facts, retryNow) }
        inFlight = task
        if let error = await task.value { throw error }
    }

    private func run(_ facts: DeviceFacts, _ retryNow: Bool) async -> CarillonError? {
        // Before the task ends, because its waiters look at once for another.
        defer { inFlight = nil }
        do throws(CarillonError) {
            while true {
                let device = try await registrations.memory().device
                switch try machine().next(for: device, at: time.now()) {
                case .idle: return nil
                case .wait: return .unreachable
                case .put(let token): try await put(token, facts, retryNow)
                case .delete: try await delete(as: introduce(facts, retryNow))
                }
            }
        } catch {
            return error
        }
    }

    /// When ``synchronize(_:retryNow:)`` is due without a change; `nil`: never.
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

    /// A Device that cannot be registered is a failure of this request too, so that the backoff covers both.
    private func introduce(_ facts: DeviceFacts, _ retryNow: Bool) async throws(CarillonError) -> DeviceIdentity {
        do throws(CarillonError) {
            return try await registrations.introduce(facts, retryNow: retryNow)
        } catch {
            let (now, jitter) = (time.now(), random.fraction())
            try update { $0.retry.fail(retryAfter: nil, at: now, jitter: jitter) }
            throw error
        }
    }

    private func put(_ token: VoIPRegistration, _ facts: DeviceFacts, _ retryNow: Bool) async throws(CarillonError) {
        var identity = try await introduce(facts, retryNow)
        var reply = await api.request("PUT", "voip", of: identity, body: token)
        if reply.isUnknownDevice {
            try await registrations.markUnknown()
            identity = try await introduce(facts, retryNow)
            reply = await api.request("PUT", "voip", of: identity, body: token)
        }
        guard let record = reply.value(as: VoIPRecord.self) else { throw try failure(reply) }
        let (now, jitter) = (time.now(), random.fraction())
        try update { $0.confirm(token, record, for: identity.device, at: now, jitter: jitter) }
    }

    private func delete(as identity: DeviceIdentity) async throws(CarillonError) {
        let reply = await api.request("DELETE", "voip", of: identity)
        switch reply {
        case .success: break
        case .refused(let problem) where problem.status == 404: break
        case .refused, .unavailable, .unreachable: throw try failure(reply)
        }
        try update { $0.finishLeaving() }
    }

    /// Records when to retry.
    ///
    /// - Returns: Why the request failed.
    private func failure(_ reply: ServerReply) throws(CarillonError) -> CarillonError {
        let (now, jitter) = (time.now(), random.fraction())
        try update { machine in
            if case .refused = reply {
                machine.retry.refuse(at: now)
            } else {
                machine.retry.fail(retryAfter: reply.retryAfter, at: now, jitter: jitter)
            }
        }
        return reply.error
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
        try save(machine)
    }

    private func save(_ machine: VoIPMachine) throws(CarillonError) {
        if machine.memory != loaded?.memory { try file.save(machine.memory) }
        loaded = machine
    }
}
