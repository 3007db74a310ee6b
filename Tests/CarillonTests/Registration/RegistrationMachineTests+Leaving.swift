import Carillon
import CarillonModel
import Foundation
import Testing

/// Leaving, erasing, and answers that are lost.
extension RegistrationMachineTests {
    @Test("Unregistering asks the server to delete the Device, and clears the state") func unregisters() {
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

    @Test("Unregistering while a registration is in flight is still sent to the server") func unregistersInFlight() {
        var machine = wanting()
        _ = machine.next(at: start)
        machine.leave()
        #expect(machine.next(at: start) == .busy)
        _ = machine.finish(.failed(retryAfter: nil), at: start, jitter: 0)
        machine.retryNow()

        // The request may have arrived although its answer did not.
        #expect(machine.next(at: start) == .send(.leave))
    }

    @Test("Registering again while the server deletes the Device is not lost") func keepsNewRegistrations() {
        var machine = registered()
        machine.leave()
        _ = machine.next(at: after(1))
        machine.register()
        #expect(machine.finish(.accepted(nil), at: after(1), jitter: 0) == .deleted)
        machine.identify(as: DeviceID(rawValue: UUID()))

        #expect(machine.next(at: after(1)) == .send(.register(machine.memory.registration)))
    }

    @Test("Registering after an unconfirmed deletion sends everything: the Device may be deleted")
    func sendsEverythingAgain() {
        var machine = registered()
        machine.leave()
        _ = machine.next(at: after(1))
        _ = machine.finish(.failed(retryAfter: nil), at: after(1), jitter: 0)
        machine.register()
        machine.retryNow()

        #expect(machine.next(at: after(2)) == .send(.register(machine.memory.registration)))
    }

    @Test("A change reverted after its answer was lost is sent: the server may have the change")
    func sendsRevertedChanges() {
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

    @Test("A change that is reverted after the process ended during its request is sent")
    func sendsRevertedAfterRestart() throws {
        var machine = registered()
        machine.change { $0.token = Sample.token(2) }
        _ = machine.next(at: after(1))
        var restarted = RegistrationMachine(machine.memory)
        restarted.change { $0.token = nil }

        #expect(restarted.next(at: after(2)) == .send(.register(restarted.memory.registration)))
    }

    @Test("Registering again does not cancel an erasure, and is not lost") func keepsErasures() {
        var machine = registered()
        machine.leave(erasing: .user)
        machine.change { $0.consent = Sample.consent }
        machine.register()

        #expect(machine.next(at: after(1)) == .send(.erase(.user)))
        #expect(machine.finish(.accepted(nil), at: after(1), jitter: 0) == .deleted)
        #expect(machine.next(at: after(1)) == .send(.register(Registration(consent: Sample.consent))))
    }

    @Test("A request that needs a Device during an erasure sends no consent after it")
    func sendsNoConsentAfterErasure() {
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

    @Test("A pending erasure of another phone's Device is not done for this one") func ignoresForeignErasures() {
        var machine = registered()
        machine.leave(erasing: .user)
        machine.identify(as: DeviceID(rawValue: UUID()))

        #expect(machine.next(at: after(1)) == .idle(until: nil))
    }

    @Test("A Device that unregisters while its update is in flight is confirmed as it was sent last")
    func confirmsLastSent() {
        var machine = registered()
        machine.change { $0.user = UserID(rawValue: "u1") }
        _ = machine.next(at: after(1))
        machine.leave()
        _ = machine.finish(.accepted(nil), at: after(1), jitter: 0)

        #expect(machine.memory.intent.confirmation?.registration == machine.memory.registration)
        #expect(machine.next(at: after(2)) == .send(.leave))
    }
}
