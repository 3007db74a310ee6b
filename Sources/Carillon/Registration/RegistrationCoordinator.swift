import CarillonModel
import Foundation

/// Does what ``RegistrationMachine`` decides: keeps its memory on disk, talks to the server, makes the identity.
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
    private var flight: Task<Void, Never>?
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

    /// Changes what the server is to know, and keeps it; sends nothing.
    func tell(_ change: @Sendable (inout Registration) -> Void) throws(CarillonError) {
        try update { $0.change(change) }
    }

    /// Changes what the server is to know, and asks to be registered.
    func want(_ change: @Sendable (inout Registration) -> Void) throws(CarillonError) {
        try update { machine in
            machine.change(change)
            machine.register()
        }
    }

    /// Asks to be forgotten.
    func leave(erasing scope: RegistrationMachine.Scope? = nil) throws(CarillonError) {
        try update { $0.leave(erasing: scope) }
    }

    /// Sees to it that the server knows the Device and everything about it.
    ///
    /// - Parameters:
    ///   - facts: What the Device tells about itself, if it has to be made known.
    ///   - needsUser: Whether there must be a user.
    ///   - hurry: Whether to try again at once what failed before.
    /// - Returns: The Device's identity.
    /// - Throws: ``CarillonError`` when the server does not know everything.
    func introduce(
        _ facts: DeviceFacts,
        needsUser: Bool = false,
        hurry: Bool = true
    ) async throws(CarillonError) -> DeviceIdentity {
        if try machine().memory.intent.isLeaving { try await synchronize(hurry: hurry) }
        if needsUser, try machine().memory.registration.user == nil { throw .userRequired }
        if try machine().memory.intent.confirmation == nil {
            try update { machine in
                machine.change { facts.write(to: &$0) }
                machine.introduce()
            }
        }
        try await synchronize(hurry: hurry)
        return try identity()
    }

    /// The server does not know the Device, as it said to another question.
    func markUnknown() throws(CarillonError) { try update { $0.markUnknown() } }

    /// What is known, on the phone and of the server.
    func memory() throws(CarillonError) -> RegistrationMachine.Memory { try machine().memory }

    /// Sends whatever is to be sent, until the server knows everything.
    ///
    /// - Parameter hurry: Whether to try again at once what failed before.
    /// - Throws: ``CarillonError`` why the server does not know everything; it will be tried again.
    func synchronize(hurry: Bool) async throws(CarillonError) {
        if hurry, flight == nil { try update { $0.retryNow() } }
        while true {
            if let flight {
                await flight.value
                continue
            }
            let identity = try machine().needsIdentity ? try identity() : nil
            var machine = try machine()
            switch machine.next(at: time.now()) {
            case .idle:
                try keep(machine)
                return
            case .wait, .busy:
                throw lastError ?? .unreachable
            case .send(let request):
                guard let identity else { preconditionFailure("a request that needs no identity does not exist") }
                try keep(machine)
                lastError = nil
                flight = Task { await self.perform(request, as: identity) }
            }
        }
    }

    /// When ``synchronize(hurry:)`` has something to do by itself; `nil`: not before something changes.
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

    /// Asks the server what it knows of the Device.
    func record() async throws(CarillonError) -> DeviceRecord {
        guard try machine().memory.intent.confirmation != nil else { throw .notRegistered }
        switch await api.record(of: try identity()) {
        case .taken(let record?): return record
        case .taken(nil): throw .unreachable(.badAnswer)
        case .unreachable(let cause): throw .unreachable(cause)
        case .later(let seconds): throw .unavailable(seconds)
        case .refused(let problem):
            if problem.code == ProblemCode.unknownDevice { try update { $0.markUnknown() } }
            throw .refused(problem)
        }
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
        try keep(machine)
    }

    /// What is to be known is on disk before it is sent.
    private func keep(_ machine: RegistrationMachine) throws(CarillonError) {
        if machine.memory != savedMemory {
            try file.save(machine.memory)
            savedMemory = machine.memory
        }
        loaded = machine
    }

    /// The Device's identity, made if there is none.
    private func identity() throws(CarillonError) -> DeviceIdentity {
        if let knownIdentity { return knownIdentity }
        let known: DeviceIdentity?
        do { known = try secrets.load() } catch { throw .storage("the Device's secret cannot be read") }
        let identity = known ?? DeviceIdentity(random: random)
        if known == nil {
            do { try secrets.save(identity) } catch { throw .storage("the Device's secret cannot be kept") }
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
            case .erase(let scope): await api.forget(identity, user: scope == .user)
            }
        flight = nil
        guard var machine = loaded else { return }
        let consequence = machine.finish(Self.answer(reply), at: time.now(), jitter: random.fraction())
        do throws(CarillonError) {
            try conclude(consequence, reply)
            try keep(machine)
        } catch {
            // The server has answered; what cannot be kept is asked for again after the next start.
            loaded = machine
            lastError = error
        }
    }

    private func conclude(
        _ consequence: RegistrationMachine.Consequence,
        _ reply: ServerReply<DeviceRecord?>
    ) throws(CarillonError) {
        switch consequence {
        case .proceed: break
        case .deleted, .renewIdentity:
            if consequence == .renewIdentity { log(.warning, "Another has this Device's id; making a new one") }
            knownIdentity = nil
            do { try secrets.remove() } catch { throw .storage("the Device's secret cannot be removed") }
        case .refused(let problem):
            log(.warning, "The server refused the registration", ["code": problem.code])
            lastError = .refused(problem)
        case .failed:
            do throws(CarillonError) { _ = try reply.get() } catch { lastError = error }
            log(.debug, "The registration will be tried again")
        }
    }

    private static func answer(_ reply: ServerReply<DeviceRecord?>) -> RegistrationMachine.Answer {
        switch reply {
        case .taken(let record): .accepted(record)
        case .refused(let problem) where problem.code == ProblemCode.unknownDevice: .unknownDevice(problem)
        case .refused(let problem) where problem.code == ProblemCode.wrongSecret: .wrongSecret(problem)
        case .refused(let problem): .refused(problem)
        case .later(let retryAfter): .failed(retryAfter: retryAfter)
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
