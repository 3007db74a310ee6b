import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import Testing

@Suite struct DevicesTests {
    private let device = DeviceID(rawValue: UUID())
    private let secret = "a secret of the device's own making"

    @Test("Registering is idempotent") func registersIdempotently() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        var registration = Registration(token: token(1), consent: Consent(notifications: true, ads: true))
        registration.language = "zh-Hant"
        registration.country = "TW"
        registration.timeZone = "Asia/Taipei"
        registration.appVersion = "1.0"
        registration.osVersion = "iOS 17.4"
        registration.model = "iPhone15,3"
        registration.sdkVersion = "0.1"
        registration.permission = .provisional
        registration.user = UserID(rawValue: "u1")
        let start = registry.clock.now()

        let first = try await registry.devices.register(app: app, device: device, secret: secret, registration)
        registry.clock.advance(milliseconds: 5_000)
        let second = try await registry.devices.register(app: app, device: device, secret: secret, registration)

        var expected = DeviceRecord(
            device: device,
            app: app,
            registration: registration,
            consentTimes: ConsentTimes(notifications: start, ads: start),
            tokenState: .active,
            createdAt: start,
            registeredAt: start
        )
        #expect(first == .created(expected))
        expected.registeredAt = registry.clock.now()
        #expect(second == .updated(expected))
        #expect(try await registry.devices.device(app: app, device: device, secret: secret) == expected)
        #expect(try await registry.devices.device(app: app, device: device, secret: nil) == expected)
    }

    @Test("An unchanged Device without a token gets a new time") func touchesDevicesWithoutToken() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let registration = Registration(consent: Consent(notifications: false))
        _ = try await registry.devices.register(app: app, device: device, secret: secret, registration)
        registry.clock.advance(milliseconds: 1_000)

        _ = try await registry.devices.register(app: app, device: device, secret: secret, registration)

        let record = try await registry.devices.device(app: app, device: device, secret: nil)
        #expect(record.registeredAt == registry.clock.now())
        #expect(record.tokenState == .none)
    }

    @Test("Only the Device's secret can read, change or delete it") func requiresTheSecret() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let registration = Registration(token: token(1), consent: Consent(notifications: true))
        _ = try await registry.devices.register(app: app, device: device, secret: secret, registration)
        let wrong = "not the device's own secret"
        let refusal = EngineError.refused(.wrongDeviceSecret)

        await #expect(throws: refusal) {
            try await registry.devices.register(app: app, device: device, secret: wrong, registration)
        }
        await #expect(throws: refusal) {
            try await registry.devices.update(app: app, device: device, secret: wrong, RegistrationUpdate())
        }
        await #expect(throws: refusal) {
            try await registry.devices.device(app: app, device: device, secret: wrong)
        }
        await #expect(throws: refusal) {
            try await registry.devices.delete(app: app, device: device, secret: wrong)
        }
        try await registry.devices.delete(app: app, device: device, secret: secret)
        await #expect(throws: EngineError.notFound(.device)) {
            try await registry.devices.device(app: app, device: device, secret: nil)
        }
        await #expect(throws: EngineError.notFound(.device)) {
            try await registry.devices.delete(app: app, device: device, secret: nil)
        }
    }

    @Test("An App does not see another App's Devices") func separatesApps() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let other = try await registry.app().app.id
        let registration = Registration(token: token(1), consent: Consent(notifications: true))
        _ = try await registry.devices.register(app: app, device: device, secret: secret, registration)

        await #expect(throws: EngineError.notFound(.device)) {
            try await registry.devices.device(app: other, device: device, secret: nil)
        }
        let unknown = AppID(rawValue: 1)
        await #expect(throws: EngineError.notFound(.app)) {
            try await registry.devices.register(app: unknown, device: device, secret: secret, registration)
        }
    }

    @Test(
        "A secret of invalid length is refused with its field",
        arguments: ["", "short", String(repeating: "x", count: 257)]
    )
    func limitsSecrets(_ secret: String) async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let problem = FieldError(field: "deviceSecret", problem: "must have 20 through 256 bytes")

        await #expect(throws: EngineError.invalid(problem)) {
            let registration = Registration(consent: Consent(notifications: true))
            return try await registry.devices.register(app: app, device: device, secret: secret, registration)
        }
    }

    @Test("A signed App accepts a User only with a valid proof") func requiresProofs() async throws {
        let registry = try await Registry()
        let secrets = try await registry.app(.signed)
        let app = secrets.app.id
        let user = try #require(UserID(rawValue: "u1"))
        let soon = registry.clock.now().rawValue / 1_000 + 60
        var registration = Registration(consent: Consent(notifications: true))
        registration.user = user
        let proof = UserProof.signed(user: user, app: app, expires: soon, identitySecret: secrets.identitySecret)

        await expectRefusal(.userProofRequired, registry, app, registration)
        registration.userProof = UserProof(expires: soon + 1, signature: proof.signature)
        await expectRefusal(.wrongUserProof, registry, app, registration)
        registration.userProof = .signed(user: user, app: app, expires: soon, identitySecret: "another secret")
        await expectRefusal(.wrongUserProof, registry, app, registration)
        registration.userProof = UserProof(expires: .max, signature: proof.signature)
        await expectRefusal(.wrongUserProof, registry, app, registration)
        registration.userProof = proof
        _ = try await registry.devices.register(app: app, device: device, secret: secret, registration)
        // The proof has expired, but the User is the same.
        registry.clock.advance(milliseconds: 120_000)
        _ = try await registry.devices.register(app: app, device: device, secret: secret, registration)
        registration.user = UserID(rawValue: "u2")
        await expectRefusal(.wrongUserProof, registry, app, registration)
    }

    @Test("S1-M4 a proof is valid for a day at most, and a proved User has a limited number of Devices")
    func boundsProofs() async throws {
        let registry = try await Registry()
        let secrets = try await registry.app(.signed)
        let app = secrets.app.id
        let user = try #require(UserID(rawValue: "u1"))
        let now = registry.clock.now().rawValue / 1_000
        func proof(_ expires: Int64) -> UserProof {
            .signed(user: user, app: app, expires: expires, identitySecret: secrets.identitySecret)
        }
        var registration = Registration(consent: Consent(notifications: true))
        registration.user = user
        registration.userProof = proof(now + 86_400 + 301)
        await expectRefusal(.userProofTooLong, registry, app, registration)
        registration.userProof = proof(now + 86_400)
        for _ in 0..<Devices.maximumPerUser {
            let id = DeviceID(rawValue: UUID())
            _ = try await registry.devices.register(app: app, device: id, secret: secret, registration)
        }

        await expectRefusal(.tooManyDevicesOfUser, registry, app, registration)
        registration.user = nil
        _ = try await registry.devices.register(app: app, device: device, secret: secret, registration)
        registration.user = user
        await expectRefusal(.tooManyDevicesOfUser, registry, app, registration)
    }

    private func expectRefusal(
        _ refusal: EngineError.Refusal,
        _ registry: Registry,
        _ app: AppID,
        _ registration: Registration
    ) async {
        await #expect(throws: EngineError.refused(refusal)) {
            try await registry.devices.register(app: app, device: device, secret: secret, registration)
        }
    }

    private func token(_ byte: UInt8) -> DeviceToken? { DeviceToken(bytes: Array(repeating: byte, count: 32)) }
}
