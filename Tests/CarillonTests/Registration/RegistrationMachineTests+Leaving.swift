import Carillon
import CarillonModel
import Foundation
import Testing

/// Leaving, erasing, and answers that are lost.
extension RegistrationMachineTests {
    @Test func `unregistering asks the server to forget, and forgets`() {
        var machine = registered()
        machine.leave()

        #expect(machine.next(at: after(1)) == .send(.leave))
        #expect(machine.finish(.accepted(nil), at: after(1), jitter: 0) == .deleted)
        #expect(machine.next(at: after(2)) == .idle(until: nil))
        #expect(machine.memory.intent.confirmation == nil && machine.memory.device == nil)
    }

    @Test("C-72 unregistering what was never registered sends nothing")
    func leaveUnknown() {
        var machine = RegistrationMachine()
        machine.leave()

        #expect(!machine.needsIdentity)
        #expect(machine.next(at: start) == .idle(until: nil))
        #expect(!machine.memory.intent.isLeaving)
    }

    @Test func `unregistering while the registration is under way still tells the server`() {
        var machine = wanting()
        _ = machine.next(at: start)
        machine.leave()
        #expect(machine.next(at: start) == .busy)
        _ = machine.finish(.failed(retryAfter: nil), at: start, jitter: 0)
        machine.retryNow()

        // The request may have arrived although its answer did not.
        #expect(machine.next(at: start) == .send(.leave))
    }

    @Test func `registering again while the server forgets is not lost`() {
        var machine = registered()
        machine.leave()
        _ = machine.next(at: after(1))
        machine.register()
        #expect(machine.finish(.accepted(nil), at: after(1), jitter: 0) == .deleted)
        machine.identify(as: DeviceID(rawValue: UUID()))

        #expect(machine.next(at: after(1)) == .send(.register(machine.memory.registration)))
    }

    @Test func `registering again after leaving sends everything: the server may have deleted the Device`() {
        var machine = registered()
        machine.leave()
        _ = machine.next(at: after(1))
        _ = machine.finish(.failed(retryAfter: nil), at: after(1), jitter: 0)
        machine.register()
        machine.retryNow()

        #expect(machine.next(at: after(2)) == .send(.register(machine.memory.registration)))
    }

    @Test func `a change that is taken back after its answer was lost is sent: the server may have the change`() {
        var machine = registered()
        let before = machine.memory.registration
        machine.change { $0.consent.ads.toggle() }
        _ = machine.next(at: after(1))
        _ = machine.finish(.failed(retryAfter: nil), at: after(1), jitter: 0)
        machine.change { $0.consent = before.consent }

        #expect(machine.next(at: after(2)) == .send(.register(before)))
        #expect(machine.memory.intent.confirmation?.registration == before)
        _ = machine.finish(.accepted(nil), at: after(2), jitter: 0)
        #expect(machine.next(at: after(3)) == .idle(until: after(2 + 6 * 86_400)))
    }

    @Test func `a change that is taken back after the process ended during its request is sent`() throws {
        var machine = registered()
        machine.change { $0.token = Sample.token(2) }
        _ = machine.next(at: after(1))
        var restarted = RegistrationMachine(machine.memory)
        restarted.change { $0.token = nil }

        #expect(restarted.next(at: after(2)) == .send(.register(restarted.memory.registration)))
    }

    @Test func `registering again does not cancel an erasure, and is not lost`() {
        var machine = registered()
        machine.leave(erasing: .user)
        machine.change { $0.consent = Sample.consent }
        machine.register()

        #expect(machine.next(at: after(1)) == .send(.erase(.user)))
        #expect(machine.finish(.accepted(nil), at: after(1), jitter: 0) == .deleted)
        #expect(machine.next(at: after(1)) == .send(.register(Registration(consent: Sample.consent))))
    }

    @Test func `a request that needs a Device during an erasure does not send consent after it`() {
        var machine = registered()
        machine.leave(erasing: .device)
        machine.change { $0.consent = Sample.consent }
        machine.introduce()
        _ = machine.next(at: after(1))
        _ = machine.finish(.accepted(nil), at: after(1), jitter: 0)

        #expect(
            machine.next(at: after(1)) == .send(.register(Registration(consent: Consent(notifications: false))))
        )
    }

    @Test func `what is to be deleted on another phone is not deleted for this one`() {
        var machine = registered()
        machine.leave(erasing: .user)
        machine.identify(as: DeviceID(rawValue: UUID()))

        #expect(machine.next(at: after(1)) == .idle(until: nil))
    }

    @Test func `a Device that leaves while its update is in flight is confirmed as it was sent last`() {
        var machine = registered()
        machine.change { $0.user = UserID(rawValue: "u1") }
        _ = machine.next(at: after(1))
        machine.leave()
        _ = machine.finish(.accepted(nil), at: after(1), jitter: 0)

        #expect(machine.memory.intent.confirmation?.registration == machine.memory.registration)
        #expect(machine.next(at: after(2)) == .send(.leave))
    }
}
