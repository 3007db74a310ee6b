import CarillonModel
import Foundation

/// Carries out what ``RegistrationMachine`` decides: saves its memory, sends requests, makes the identity.
actor RegistrationCoordinator {
    private let file: StateFile<RegistrationMachine.Memory>
    private let secrets: any SecretStore
    private let api: ServerAPI
    private let time: any TimeSource
    private let random: any RandomSource
    private let log: CarillonLog

    private var loaded: RegistrationMachine?
    private var knownIdentity: DeviceIdentity?
    private var savedMemory: RegistrationMachine.Memory?
    private var inFlight: Task<Void, Never>?
    private var lastError: CarillonError?

    init(
        file: StateFile<RegistrationMachine.Memory>,
        secrets: any SecretStore,
        api: ServerAPI,
        time: any TimeSource,
        random: any RandomSource,
        log: CarillonLog
    ) {
        self.file = file
        self.secrets = secrets
        self.api = api
        self.time = time
        self.random = random
        self.log = log
    }

    /// Changes what the server is to know, and saves it; sends nothing.
    func change(_ change: @Sendable (inout Registration) -> Void) throws(CarillonError) {
        try update { $0.change(change) }
    }

    /// Changes what the server is to know, and saves that the app registers the Device; sends nothing.
    func register(_ change: @Sendable (inout Registration) -> Void) throws(CarillonError) {
        try update { machine in
            machine.change(change)
            machine.register()
        }
    }

    /// Saves that the app unregisters the Device; sends nothing.
    func leave(erasing scope: RegistrationMachine.Scope? = nil) throws(CarillonError) {
        try update { $0.leave(erasing: scope) }
    }

    /// Registers the Device, without token and consent, unless the server knows it, and sends what changed.
    ///
    /// - Parameters:
    ///   - facts: The Device's facts, for its registration.
    ///   - needsUser: Whether a user is required.
    ///   - retryNow: Whether to end the backoff after a failure.
    /// - Returns: The Device's identity.
    /// - Throws: ``CarillonError`` when the server is not up to date.
    func introduce(
        _ facts: DeviceFacts,
        needsUser: Bool = false,
        retryNow: Bool = true
    ) async throws(CarillonError) -> DeviceIdentity {
        if try machine().memory.intent.isLeaving { try await synchronize(retryNow: retryNow) }
        if needsUser, try machine().memory.registration.user == nil { throw .userRequired }
        if try machine().memory.intent.confirmation == nil {
            try update { machine in
                machine.change { facts.write(to: &$0) }
                machine.introduce()
            }
        }
        try await synchronize(retryNow: retryNow)
        return try identity()
    }

    /// The server answered another request that it does not know the Device.
    func markUnknown() throws(CarillonError) { try update { $0.markUnknown() } }

    /// The state that is saved.
    func memory() throws(CarillonError) -> RegistrationMachine.Memory { try machine().memory }

    /// Sends requests until the server is up to date.
    ///
    /// - Parameter retryNow: Whether to end the backoff after a failure.
    /// - Throws: ``CarillonError`` when the server is not up to date; the SDK retries.
    func synchronize(retryNow: Bool) async throws(CarillonError) {
        if retryNow, inFlight == nil { try update { $0.retryNow() } }
        while true {
            if let inFlight {
                await inFlight.value
                continue
            }
            let identity = try machine().needsIdentity ? try identity() : nil
            var machine = try machine()
            switch machine.next(at: time.now()) {
            case .idle:
                try save(machine)
                return
            case .wait, .busy:
                throw lastError ?? .unreachable
            case .send(let request):
                guard let identity else { preconditionFailure("every request needs an identity") }
                try save(machine)
                lastError = nil
                inFlight = Task { await self.perform(request, as: identity) }
            }
        }
    }

    /// When ``synchronize(retryNow:)`` is due without a change; `nil`: never.
    func nextDue() -> Timestamp? {
        guard var machine = try? machine() else { return nil }
        let now = time.now()
        switch machine.next(at: now) {
        case .idle(let until): return until
        case .wait(let until): return until
        case .busy: return nil
        case .send: return now
        }
    }

    /// Fetches the server's record of the Device.
    ///
    /// - Returns: The answer, with the record.
    func record() async throws(CarillonError) -> ServerReply {
        guard try machine().memory.intent.confirmation != nil else { throw .notRegistered }
        let reply = await api.record(of: try identity())
        if reply.isUnknownDevice { try update { $0.markUnknown() } }
        return reply
    }

    // MARK: - Private

    private func machine() throws(CarillonError) -> RegistrationMachine {
        if let loaded { return loaded }
        let memory = try file.load()
        savedMemory = memory
        let machine = RegistrationMachine(memory ?? RegistrationMachine.Memory())
        loaded = machine
        return machine
    }

    private func update(_ change: (inout RegistrationMachine) -> Void) throws(CarillonError) {
        var machine = try machine()
        change(&machine)
        try save(machine)
    }

    /// The memory is on disk before a request is sent.
    private func save(_ machine: RegistrationMachine) throws(CarillonError) {
        if machine.memory != savedMemory {
            try file.save(machine.memory)
            savedMemory = machine.memory
        }
        loaded = machine
    }

    /// The Device's identity, which is made if there is none.
    private func identity() throws(CarillonError) -> DeviceIdentity {
        if let knownIdentity { return knownIdentity }
        let known: DeviceIdentity?
        do { known = try secrets.load() } catch { throw .storage("the Device's secret cannot be read") }
        let identity = known ?? DeviceIdentity(random: random)
        if known == nil {
            do { try secrets.save(identity) } catch { throw .storage("the Device's secret cannot be saved") }
        }
        try update { $0.identify(as: identity.device) }
        knownIdentity = identity
        return identity
    }

    private func perform(_ request: RegistrationMachine.Request, as identity: DeviceIdentity) async {
        let reply =
            switch request {
            case .register(let registration): await api.register(registration, as: identity)
            case .update(let update): await api.update(update, as: identity)
            case .leave: await api.delete(identity)
            case .erase(let scope): await api.erase(identity, user: scope == .user)
            }
        inFlight = nil
        guard var machine = loaded else { return }
        let consequence = machine.finish(Self.answer(reply), at: time.now(), jitter: random.fraction())
        do throws(CarillonError) {
            try apply(consequence, reply)
            try save(machine)
        } catch {
            // The server has answered; what cannot be saved is sent again after the next start.
            loaded = machine
            lastError = error
        }
    }

    private func apply(
        _ consequence: RegistrationMachine.Consequence,
        _ reply: ServerReply
    ) throws(CarillonError) {
        switch consequence {
        case .proceed: break
        case .deleted, .renewIdentity:
            if consequence == .renewIdentity { log(.warning, "The Device's id is taken; making a new one") }
            knownIdentity = nil
            do { try secrets.remove() } catch { throw .storage("the Device's secret cannot be removed") }
        case .refused(let problem):
            log(.warning, "The server refused the registration", ["code": problem.code])
            lastError = .refused(problem)
        case .failed:
            lastError = reply.error
            log(.debug, "The registration will be retried")
        }
    }

    private static func answer(_ reply: ServerReply) -> RegistrationMachine.Answer {
        switch reply {
        // A record that this SDK cannot read counts as none.
        case .success: .accepted(reply.value(as: DeviceRecord.self))
        case .refused(let problem) where problem.code == ProblemCode.unknownDevice: .unknownDevice(problem)
        case .refused(let problem) where problem.code == ProblemCode.wrongSecret: .wrongSecret(problem)
        case .refused(let problem): .refused(problem)
        case .unavailable(let retryAfter): .failed(retryAfter: retryAfter)
        case .unreachable: .failed(retryAfter: nil)
        }
    }
}

extension DeviceIdentity {
    /// A new identity: a random UUID (RFC 9562, version 4) and 32 random bytes.
    init(random: any RandomSource) {
        var bytes = random.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        let secret = Data(random.bytes(32)).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        self.init(device: DeviceID(rawValue: uuid), secret: secret)
    }
}
