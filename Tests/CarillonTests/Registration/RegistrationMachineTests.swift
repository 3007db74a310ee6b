import Carillon
import CarillonModel
import Foundation
import Testing

@Suite("What the server is told, and when")
struct RegistrationMachineTests {
    let start = Timestamp("2026-11-21T12:00:00Z")!
    let device = DeviceID(rawValue: UUID())

    func after(_ seconds: Int64) -> Timestamp { Timestamp(rawValue: start.rawValue + seconds * 1000) }

    private var problem: Problem { Problem(code: "invalid-request", title: "Invalid", status: 400) }

    /// A machine whose app asked to be registered.
    func wanting() -> RegistrationMachine {
        var machine = RegistrationMachine()
        machine.identify(as: device)
        machine.change { $0.consent = Sample.consent }
        machine.register()
        return machine
    }

    /// A machine whose registration the server has confirmed at the start.
    func registered() -> RegistrationMachine {
        var machine = wanting()
        _ = machine.next(at: start)
        _ = machine.finish(.accepted(nil), at: start, jitter: 0)
        return machine
    }

    @Test("Nothing is sent before the app asks for a registration") func sendsNothingUnasked() {
        var machine = RegistrationMachine()
        machine.change { $0.token = Sample.token() }

        #expect(machine.next(at: start) == .idle(until: nil))
        #expect(!machine.needsIdentity)
    }

    @Test("The whole registration is sent first, with one request at a time") func sendsEverythingFirst() {
        var machine = wanting()

        #expect(machine.next(at: start) == .send(.register(machine.memory.registration)))
        #expect(machine.next(at: start) == .busy)
        #expect(machine.finish(.accepted(nil), at: start, jitter: 0) == .proceed)
        #expect(machine.next(at: start) == .idle(until: after(6 * 86_400)))
    }

    @Test("A later change sends only what changed, once") func sendsOnlyChanges() {
        var machine = registered()
        machine.change { $0.token = Sample.token(2) }

        var update = RegistrationUpdate()
        update.token = .set(Sample.token(2))
        #expect(machine.next(at: after(1)) == .send(.update(update)))
        #expect(machine.finish(.accepted(nil), at: after(1), jitter: 0) == .proceed)
        #expect(machine.next(at: after(2)) == .idle(until: after(1 + 6 * 86_400)))
    }

    @Test("The number on the icon is sent each time it is set, and not with the next registration") func sendsBadges() {
        var machine = registered()
        var update = RegistrationUpdate()
        update.badge = 0
        for second in Int64(1)...2 {
            machine.change { $0.badge = 0 }
            #expect(machine.next(at: after(second)) == .send(.update(update)))
            #expect(machine.finish(.accepted(nil), at: after(second), jitter: 0) == .proceed)
        }
        #expect(machine.next(at: after(3)) == .idle(until: after(2 + 6 * 86_400)))
        guard case .send(.register(let registration)) = machine.next(at: after(7 * 86_400)) else {
            Issue.record("the weekly registration is due")
            return
        }
        #expect(registration.badge == nil)
    }

    @Test("A number that is set while another one is in flight is sent afterwards") func keepsNewBadges() {
        var machine = registered()
        machine.change { $0.badge = 3 }
        _ = machine.next(at: after(1))
        machine.change { $0.badge = 0 }
        _ = machine.finish(.accepted(nil), at: after(1), jitter: 0)
        var update = RegistrationUpdate()
        update.badge = 0
        #expect(machine.next(at: after(2)) == .send(.update(update)))
    }

    @Test("Changes while a request is in flight are sent together in the next one") func combinesChanges() {
        var machine = wanting()
        _ = machine.next(at: start)
        machine.change { $0.token = Sample.token(2) }
        machine.change { $0.user = UserID(rawValue: "u1") }
        machine.change { $0.token = Sample.token(3) }
        _ = machine.finish(.accepted(nil), at: start, jitter: 0)

        var update = RegistrationUpdate()
        update.token = .set(Sample.token(3))
        update.user = .set(UserID(rawValue: "u1"))
        #expect(machine.next(at: start) == .send(.update(update)))
    }

    @Test("A change that is reverted before it is sent sends nothing") func ignoresRevertedChanges() {
        var machine = registered()
        machine.change { $0.user = UserID(rawValue: "u1") }
        machine.change { $0.user = nil }

        #expect(machine.next(at: after(1)) == .idle(until: after(6 * 86_400)))
    }

    @Test("The whole registration is sent again within a week", arguments: [0.0, 0.5, 0.999])
    func repeatsWithinAWeek(jitter: Double) {
        var machine = wanting()
        _ = machine.next(at: start)
        _ = machine.finish(.accepted(nil), at: start, jitter: jitter)

        #expect(machine.next(at: after(6 * 86_400 - 1)) != .send(.register(machine.memory.registration)))
        #expect(machine.next(at: after(7 * 86_400)) == .send(.register(machine.memory.registration)))
    }

    @Test("A clock set back by more than a day sends everything again, by an hour it does not")
    func detectsClockChanges() {
        var machine = registered()

        #expect(machine.next(at: after(-3_600)) == .idle(until: after(6 * 86_400)))
        #expect(machine.next(at: after(-2 * 86_400)) == .send(.register(machine.memory.registration)))
    }

    @Test("A server that does not know the Device gets the whole registration") func registersUnknownDevices() {
        var machine = registered()
        machine.change { $0.token = Sample.token(2) }
        _ = machine.next(at: after(1))

        #expect(machine.finish(.unknownDevice(problem), at: after(1), jitter: 0) == .proceed)
        #expect(machine.next(at: after(1)) == .send(.register(machine.memory.registration)))
    }

    @Test("An unknown Device in the answer to a registration is a refusal, without a loop")
    func refusesUnknownDevices() {
        var machine = wanting()
        _ = machine.next(at: start)

        #expect(machine.finish(.unknownDevice(problem), at: start, jitter: 0) == .refused(problem))
        #expect(machine.next(at: after(1)) == .wait(until: after(86_400)))
    }

    @Test("An id that belongs to another Device is replaced once") func replacesIdentityOnce() {
        var machine = registered()
        machine.change { $0.token = Sample.token(2) }
        _ = machine.next(at: after(1))

        #expect(machine.finish(.wrongSecret(problem), at: after(1), jitter: 0) == .renewIdentity)
        machine.identify(as: DeviceID(rawValue: UUID()))
        #expect(machine.next(at: after(1)) == .send(.register(machine.memory.registration)))
        #expect(machine.finish(.wrongSecret(problem), at: after(1), jitter: 0) == .refused(problem))
    }

    @Test("A refused request is not repeated until something changes or a day has passed") func waitsAfterRefusals() {
        var machine = wanting()
        _ = machine.next(at: start)
        #expect(machine.finish(.refused(problem), at: start, jitter: 0) == .refused(problem))

        #expect(machine.next(at: after(86_399)) == .wait(until: after(86_400)))
        var changed = machine
        changed.change { $0.user = UserID(rawValue: "u1") }
        #expect(changed.next(at: after(10)) == .send(.register(changed.memory.registration)))
        #expect(machine.next(at: after(86_400)) == .send(.register(machine.memory.registration)))
    }

    @Test("C-98 a failure is tried again after pauses that double from two seconds, with jitter")
    func backoff() {
        var machine = wanting()
        var pauses: [Int64] = []
        var now = start
        for _ in 1...14 {
            _ = machine.next(at: now)
            _ = machine.finish(.failed(retryAfter: nil), at: now, jitter: 0)
            guard case .wait(let until) = machine.next(at: now) else { break }
            pauses.append((until.rawValue - now.rawValue) / 1000)
            now = until
        }

        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600, 3600])
        _ = machine.next(at: now)
        _ = machine.finish(.failed(retryAfter: nil), at: now, jitter: 0.5)
        #expect(machine.next(at: now) == .wait(until: Timestamp(rawValue: now.rawValue + 2_700_000)))
    }

    @Test("A pause that the server asks for, up to a day, holds even when the app retries") func respectsRetryAfter() {
        var machine = wanting()
        _ = machine.next(at: start)
        _ = machine.finish(.failed(retryAfter: 120), at: start, jitter: 0)
        machine.retryNow()
        machine.change { $0.user = UserID(rawValue: "u1") }

        #expect(machine.next(at: after(119)) == .wait(until: after(120)))
        #expect(machine.next(at: after(120)) == .send(.register(machine.memory.registration)))
        _ = machine.finish(.failed(retryAfter: 1e9), at: after(120), jitter: 0)
        #expect(machine.next(at: after(121)) == .wait(until: after(120 + 86_400)))
    }

    @Test("A failed request is repeated at once when the app retries") func retriesOnDemand() {
        var machine = wanting()
        _ = machine.next(at: start)
        _ = machine.finish(.failed(retryAfter: nil), at: start, jitter: 0)
        machine.retryNow()

        #expect(machine.next(at: start) == .send(.register(machine.memory.registration)))
    }

    @Test("A clock that is set back ends a pause") func endsPauses() {
        var machine = wanting()
        _ = machine.next(at: start)
        _ = machine.finish(.failed(retryAfter: 3_600), at: start, jitter: 0)

        #expect(machine.next(at: after(-60)) == .send(.register(machine.memory.registration)))
    }

    @Test("State from another phone's backup confirms nothing") func ignoresForeignState() {
        var machine = RegistrationMachine(registered().memory)
        machine.identify(as: DeviceID(rawValue: UUID()))

        #expect(machine.next(at: after(1)) == .send(.register(machine.memory.registration)))
    }

    @Test("The state is the same after encoding and decoding") func encodesState() throws {
        let memory = registered().memory
        let data = try JSONEncoder().encode(memory)

        #expect(try JSONDecoder().decode(RegistrationMachine.Memory.self, from: data) == memory)
    }
}
