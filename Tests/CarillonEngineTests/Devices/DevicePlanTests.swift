import CarillonEngine
import CarillonModel
import Foundation
import Testing

@Suite struct DevicePlanTests {
    private let secret = SecretHash(of: "the device's own secret")
    private let token = DeviceToken(bytes: Array(repeating: 1, count: 32))
    private let otherToken = DeviceToken(bytes: Array(repeating: 2, count: 32))

    @Test("A new Device is created, without its proof") func createsDevices() {
        var registration = registration(user: "u1")
        let plain = registration
        registration.userProof = UserProof(expires: 1, signature: "s")

        #expect(change(.registration(registration)).plan(for: nil) == .create(plain))
        #expect(change(.update(RegistrationUpdate())).plan(for: nil) == .unknown)
    }

    @Test("An unchanged registration only updates the time") func touchesUnchangedDevices() {
        let stored = stored(registration(user: "u1"))

        #expect(change(.registration(stored.registration)).plan(for: stored) == .touch(.registered))
        #expect(change(.update(RegistrationUpdate())).plan(for: stored) == .touch(.kept))
    }

    @Test("Another secret changes nothing") func refusesOtherSecrets() {
        var change = change(.registration(registration(user: "u1")))
        change.secretHash = SecretHash(of: "somebody else's")

        #expect(change.plan(for: stored(registration(user: "u1"))) == .refuse(.wrongDeviceSecret))
    }

    @Test(
        "A token that is registered again becomes active",
        arguments: [DeviceRecord.TokenState.quarantined, .dropped]
    )
    func reactivatesTokens(_ state: DeviceRecord.TokenState) {
        var stored = stored(registration())
        stored.tokenState = state

        let told = change(.registration(stored.registration)).plan(for: stored)
        let untold = change(.update(RegistrationUpdate())).plan(for: stored)

        #expect(told == .change(stored.registration, .registered, isRenumbered: false))
        #expect(untold == .touch(.kept))
    }

    @Test("Leaving a User changes the number, getting a first User does not") func renumbers() {
        let nobody = registration()
        let one = registration(user: "u1")
        let two = registration(user: "u2")

        func isRenumbered(_ old: Registration, _ new: Registration) -> Bool? {
            guard case .change(_, _, let isRenumbered) = change(.registration(new)).plan(for: stored(old)) else {
                return nil
            }
            return isRenumbered
        }

        #expect(isRenumbered(nobody, one) == false)
        #expect(isRenumbered(one, two) == true)
        #expect(isRenumbered(one, nobody) == true)
    }

    @Test(
        "Another User needs a claim, the same one does not",
        arguments: [(UserClaim.missing, EngineError.Refusal.userProofRequired), (.wrong, .wrongUserProof)]
    )
    func checksClaims(
        _ claim: UserClaim,
        _ refusal: EngineError.Refusal
    ) {
        let change = change(.registration(registration(user: "u1")), claim: claim)

        #expect(change.plan(for: nil) == .refuse(refusal))
        #expect(change.plan(for: stored(registration())) == .refuse(refusal))
        #expect(change.plan(for: stored(registration(user: "u2"))) == .refuse(refusal))
        #expect(change.plan(for: stored(registration(user: "u1"))) == .touch(.registered))
    }

    @Test("An imported Device is claimed by a registration with its token") func claimsImportedDevices() {
        var imported = stored(registration())
        imported.secretHash = nil
        var stranger = registration()
        stranger.token = otherToken
        var update = RegistrationUpdate()
        update.language = .set("ja")

        let claimed = change(.registration(registration())).plan(for: imported)

        #expect(claimed == .change(registration(), .registered, isRenumbered: false))
        #expect(change(.registration(stranger)).plan(for: imported) == .refuse(.wrongDeviceSecret))
        #expect(change(.update(update)).plan(for: imported) == .refuse(.wrongDeviceSecret))
    }

    @Test("Who proves nothing moves no User's pushes to another token") func keepsTokenOfUser() {
        var known = stored(registration(user: "u1"))
        known.secretHash = nil
        var other = registration(user: "u1")
        other.token = otherToken
        var unproven = change(.registration(other), claim: .missing)
        unproven.secretHash = nil

        #expect(unproven.plan(for: known) == .refuse(.userProofRequired))
        unproven.content = .registration(registration(user: "u1"))
        #expect(unproven.plan(for: known) == .touch(.registered))
        unproven.content = .registration(other)
        unproven.claim = .granted
        #expect(unproven.plan(for: known) == .change(other, .registered, isRenumbered: false))
    }

    @Test("An update changes only the given fields") func updatesFields() {
        let stored = stored(registration(user: "u1"))
        var update = RegistrationUpdate()
        update.language = .set("ja")
        update.token = .set(nil)
        var expected = stored.registration
        expected.language = "ja"
        expected.token = nil

        #expect(change(.update(update)).plan(for: stored) == .change(expected, .removed, isRenumbered: false))
    }

    private func registration(user: String? = nil) -> Registration {
        var registration = Registration(token: token, consent: Consent(notifications: true))
        registration.user = user.flatMap(UserID.init(rawValue:))
        return registration
    }

    private func stored(_ registration: Registration) -> StoredDevice {
        StoredDevice(
            number: DeviceNumber(rawValue: 1),
            secretHash: secret,
            registration: registration,
            tokenState: .active,
            createdAt: Timestamp(rawValue: 1),
            registeredAt: Timestamp(rawValue: 1)
        )
    }

    private func change(_ content: DeviceChange.Content, claim: UserClaim = .granted) -> DeviceChange {
        DeviceChange(
            app: AppID(rawValue: 1),
            device: DeviceID(rawValue: UUID()),
            secretHash: secret,
            content: content,
            claim: claim,
            at: Timestamp(rawValue: 2)
        )
    }
}
