import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Categories, positions, times of consent and VoIP tokens.
@Suite struct DeviceLabelStoreTests {
    private let app = AppID(rawValue: 77)
    private let device = DeviceID(rawValue: UUID())
    private let start = Timestamp(rawValue: 1_800_000_000_000)
    private let secret = "a secret of the device's own making"

    private var caller: DeviceCaller { DeviceCaller(app: app, device: device, secret: secret) }

    private func withStores(_ kind: StoreKind, _ body: (Stores) async throws -> Void) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: start)
            try await insertApp(stores)
            try await body(stores)
        }
    }

    private func insertApp(_ stores: Stores) async throws {
        let app = App(id: app, request: AppRequest(name: "Shop", bundleID: "com.example.shop"), createdAt: start)
        let secrets = SealedAppSecrets(keyHash: SecretHash(of: "key"), identitySecret: [1], receiptKey: [2])
        try await stores.apps.insert(StoredApp(app: app, secrets: secrets))
    }

    private func change(_ registration: Registration, after milliseconds: Int64 = 0) -> DeviceChange {
        DeviceChange(
            app: app,
            device: device,
            secretHash: SecretHash(of: secret),
            content: .registration(registration),
            claim: .granted,
            at: Timestamp(rawValue: start.rawValue + milliseconds)
        )
    }

    private func registration(_ user: String? = nil) -> Registration {
        var registration = Registration(consent: Consent(notifications: true, nightAds: true))
        registration.user = user.flatMap(UserID.init(rawValue:))
        return registration
    }

    private static let categories: [DeviceCategories?] = [
        nil, .list([]), .list(["1"]), .list(["1", "22", ","]), .list(["\"", "\\", "\",\"", "é", "/"]), .dimensions([:]),
        .dimensions(["地域": ["関東", "\""], "": [], "a": ["b"]].filter { !$0.key.isEmpty }),
    ]

    @Test("Categories are read as they were saved", arguments: StoreKind.allCases, categories)
    func storesCategories(_ kind: StoreKind, _ categories: DeviceCategories?) async throws {
        try await withStores(kind) { stores in
            var registration = registration()
            registration.categories = categories
            _ = try await stores.devices.apply(change(registration))

            #expect(try await stores.devices.device(app: app, device: device)?.registration == registration)
            // The same registration again counts as unchanged.
            let stored = try #require(try await stores.devices.device(app: app, device: device))
            #expect(change(registration).plan(for: stored) == .touch(.removed))
        }
    }

    @Test("Position, categories and times of consent move to another number", arguments: StoreKind.allCases)
    func movesWithTheNumber(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            var first = registration("u1")
            first.categories = .list(["3"])
            first.location = DeviceLocation(latitude: -33.856_784, longitude: 151.215_297, at: start)
            _ = try await stores.devices.apply(change(first))
            var second = first
            second.user = UserID(rawValue: "u2")
            second.consent.ads = true

            _ = try await stores.devices.apply(change(second, after: 1_000))

            let stored = try #require(try await stores.devices.device(app: app, device: device))
            #expect(stored.registration == second)
            let later = Timestamp(rawValue: start.rawValue + 1_000)
            #expect(stored.consentTimes == ConsentTimes(notifications: start, ads: later, nightAds: start))
        }
    }

    @Test("A consent saved before times were recorded has none until it is given again", arguments: StoreKind.allCases)
    func keepsMissingTimes(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            _ = try await stores.devices.apply(change(registration()))
            _ = try await stores.database.write { connection in
                try connection.run("UPDATE devices SET notifications_since = NULL, night_ads_since = NULL")
            }
            var changed = registration()
            changed.language = "ja"
            _ = try await stores.devices.apply(change(changed, after: 1))
            #expect(try await stores.devices.device(app: app, device: device)?.consentTimes == ConsentTimes())

            changed.consent.nightAds = false
            _ = try await stores.devices.apply(change(changed, after: 2))
            changed.consent.nightAds = true
            _ = try await stores.devices.apply(change(changed, after: 3))
            let times = try await stores.devices.device(app: app, device: device)?.consentTimes
            #expect(times == ConsentTimes(nightAds: Timestamp(rawValue: start.rawValue + 3)))
        }
    }

    // MARK: VoIP tokens

    /// Gives the Device a VoIP token.
    private func setCallToken(_ byte: UInt8, _ stores: Stores) async throws {
        let call = VoIPRegistration(token: try token(byte))
        _ = try await stores.devices.setVoIPToken(call, of: caller, tokensPerUser: .many, at: start).get()
    }

    private func token(_ byte: UInt8) throws -> DeviceToken {
        try #require(DeviceToken(bytes: Array(repeating: byte, count: 32)))
    }

    @Test("T-128 a change of one token does not affect the other", arguments: StoreKind.allCases)
    func tokensStandApart(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            var told = registration("u1")
            told.token = try token(1)
            _ = try await stores.devices.apply(change(told))
            try await setCallToken(1, stores)
            #expect(try await pushTypes(stores) == [1, 3])

            told.token = try token(2)
            _ = try await stores.devices.apply(change(told, after: 1))
            #expect(try await pushTypes(stores) == [1, 3])
            told.pushType = .apnsSandbox
            told.user = UserID(rawValue: "u2")
            _ = try await stores.devices.apply(change(told, after: 2))
            #expect(try await pushTypes(stores) == [2, 3])
            told.token = nil
            _ = try await stores.devices.apply(change(told, after: 3))
            #expect(try await pushTypes(stores) == [3])
            #expect(
                try await stores.devices.device(app: app, device: device)?.tokenState == DeviceRecord.TokenState.none
            )

            _ = try await stores.devices.delete(app: app, device: device, secretHash: nil, at: Timestamp(rawValue: 9))
            #expect(try await pushTypes(stores).isEmpty)
        }
    }

    @Test("An invalid VoIP token is dropped, and active again when it is registered", arguments: StoreKind.allCases)
    func reactivatesVoIPTokens(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            _ = try await stores.devices.apply(change(registration()))
            try await setCallToken(1, stores)
            let number = try #require(try await stores.devices.device(app: app, device: device)).number
            let verdict = ChunkCommit.TokenVerdict(
                device: number,
                pushType: .apnsVoIP,
                token: try token(1).bytes,
                .dead,
                reason: FailureReason(rawValue: "Unregistered")
            )
            let isDropped = try await stores.save(verdict, app: app, at: Timestamp(rawValue: 1))

            #expect(isDropped)
            #expect(try await stores.devices.voIPRecord(of: caller).get()?.tokenState == .dropped)
            try await setCallToken(1, stores)
            #expect(try await stores.devices.voIPRecord(of: caller).get()?.tokenState == .active)
        }
    }

    private func pushTypes(_ stores: Stores) async throws -> [Int64] {
        try await stores.database.read { connection in
            try connection.all(
                "SELECT push_type FROM devices WHERE token IS NOT NULL UNION ALL SELECT push_type FROM call_tokens ORDER BY 1"
            ) { row in row.int64(0) }
        }
    }
}
