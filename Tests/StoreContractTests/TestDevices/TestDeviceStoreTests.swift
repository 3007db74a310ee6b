import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Test Devices, their codes, and how many messages they get.
@Suite struct TestDeviceStoreTests {
    private let app = AppID(rawValue: 77)
    private let now = Timestamp(rawValue: 1_800_000_000_000)
    private let secret = "a secret of the device's own making"

    private func withStores(_ kind: StoreKind, _ body: (Stores) async throws -> Void) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: now)
            let app = App(id: app, request: AppRequest(name: "Shop", bundleID: "com.example.shop"), createdAt: now)
            let secrets = SealedAppSecrets(keyHash: SecretHash(of: "key"), identitySecret: [1], receiptKey: [2])
            try await stores.apps.insert(StoredApp(app: app, secrets: secrets))
            try await body(stores)
        }
    }

    private func register(_ stores: Stores, _ device: DeviceID, user: String? = nil) async throws -> DeviceCaller {
        var registration = Registration(consent: Consent(notifications: true))
        registration.user = user.flatMap(UserID.init(rawValue:))
        registration.language = "ja"
        let change = DeviceChange(
            app: app,
            device: device,
            secretHash: SecretHash(of: secret),
            content: .registration(registration),
            claim: .granted,
            at: now
        )
        _ = try await stores.devices.apply(change)
        return DeviceCaller(app: app, device: device, secret: secret)
    }

    private func list(_ stores: Stores) async throws -> [TestDevice] {
        try await stores.testDevices.testDevices(of: app, after: DeviceNumber(rawValue: -1), limit: 100).map(\.device)
    }

    private func pairing(_ code: String) -> NewTestPairing {
        NewTestPairing(
            app: app,
            code: SecretHash(of: code),
            request: TestPairingRequest(name: "Phone", owner: "Mei"),
            expiresAt: now.advanced(by: TestPairing.lifetime)
        )
    }

    @Test("A test Device is renamed, and stays one when its User changes", arguments: StoreKind.allCases)
    func addsAndRemoves(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let device = DeviceID(rawValue: UUID())
            let request = TestDeviceRequest(device: device, name: "Phone", owner: "Mei")
            #expect(try await stores.testDevices.add(request, app: app, at: now) == .failure(.notFound(.device)))
            _ = try await register(stores, device, user: "u-1")

            let added = try await stores.testDevices.add(request, app: app, at: now).get()
            #expect(added.name == "Phone" && added.owner == "Mei" && added.user?.rawValue == "u-1")
            #expect(added.language == "ja" && !added.hasToken)
            let renamed = TestDeviceRequest(device: device, name: "Other")
            #expect(try await stores.testDevices.add(renamed, app: app, at: now).get().owner == nil)

            _ = try await register(stores, device, user: "u-2")
            #expect(try await list(stores).map(\.user?.rawValue) == ["u-2"])
            #expect(try await list(stores).map(\.name) == ["Other"])

            #expect(try await stores.testDevices.remove(device, app: app))
            #expect(try await stores.testDevices.remove(device, app: app) == false)
            #expect(try await list(stores).isEmpty)
        }
    }

    @Test("A Device that is deleted is no test Device any more", arguments: StoreKind.allCases)
    func forgetsDeleted(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let device = DeviceID(rawValue: UUID())
            _ = try await register(stores, device)
            _ = try await stores.testDevices.add(TestDeviceRequest(device: device, name: "Phone"), app: app, at: now)
                .get()

            _ = try await stores.devices.delete(app: app, device: device, secretHash: nil, at: now)

            let left = try await stores.database.read { connection in
                try connection.all("SELECT count(*) FROM test_devices") { $0.int(0) }
            }
            #expect(left == [0])
        }
    }

    @Test("A code is good once, for ten minutes, and gone after ten wrong ones", arguments: StoreKind.allCases)
    func pairs(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let caller = try await register(stores, DeviceID(rawValue: UUID()))
            let code = SecretHash(of: "1")
            func pair(_ code: SecretHash, at time: Timestamp) async throws -> Result<TestDevice, EngineError> {
                try await stores.testDevices.pair(caller, code: code, at: time)
            }
            #expect(try await stores.testDevices.insert(pairing("1"), at: now))
            #expect(try await pair(SecretHash(of: "2"), at: now) == .failure(.notFound(.testPairing)))
            #expect(try await pair(code, at: now.advanced(by: .seconds(600))) == .failure(.notFound(.testPairing)))
            #expect(try await pair(code, at: now).get().name == "Phone")
            #expect(try await pair(code, at: now) == .failure(.notFound(.testPairing)))
            #expect(try await list(stores).map(\.device) == [caller.device])

            #expect(try await stores.testDevices.insert(pairing("1"), at: now))
            for _ in 0..<TestPairing.maximumAttempts { _ = try await pair(SecretHash(of: "2"), at: now) }
            #expect(try await pair(code, at: now) == .failure(.notFound(.testPairing)))
        }
    }

    private func acquire(_ count: Int, after seconds: Int, _ stores: Stores) async throws -> Bool {
        let time = now.advanced(by: .seconds(seconds))
        return try await stores.testDevices.acquire(
            count,
            app: app,
            limit: 60,
            since: time.advanced(by: .seconds(-3_600)),
            at: time
        )
    }

    @Test("Messages to test Devices are counted for an hour", arguments: StoreKind.allCases)
    func counts(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let early = [
                try await acquire(20, after: 0, stores), try await acquire(20, after: 0, stores),
                try await acquire(20, after: 60, stores), try await acquire(1, after: 3_599, stores),
            ]
            #expect(early == [true, true, true, false])
            let later = [try await acquire(40, after: 3_600, stores), try await acquire(1, after: 3_600, stores)]
            #expect(later == [true, false])
        }
    }
}
