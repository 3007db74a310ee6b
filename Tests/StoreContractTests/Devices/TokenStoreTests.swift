import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Tokens with what their Devices registered, and the keys of vendor APIs.
@Suite struct TokenStoreTests {
    private let app = AppID(rawValue: 77)
    private let start = Timestamp(rawValue: 1_800_000_000_000)

    private func token(_ byte: UInt8) throws -> DeviceToken {
        try #require(DeviceToken(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private func device(_ byte: UInt8) -> DeviceID {
        DeviceID(rawValue: UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    }

    private func withStores(_ kind: StoreKind, _ body: (Stores) async throws -> Void) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: start)
            let app = App(id: app, request: AppRequest(name: "x", bundleID: "x.y"), createdAt: start)
            let hash = SecretHash(of: "\(app.id)")
            let secrets = SealedAppSecrets(keyHash: hash, identitySecret: [1], receiptKey: [2])
            try await stores.apps.insert(StoredApp(app: app, secrets: secrets))
            try await body(stores)
        }
    }

    /// Registers a Device's token, without a secret unless one is given.
    private func register(
        _ stores: Stores,
        _ byte: UInt8,
        user: String,
        tenant: String? = nil,
        secret: String? = nil
    ) async throws {
        var registration = Registration(token: try token(byte), consent: Consent(notifications: true))
        registration.user = UserID(rawValue: user)
        registration.tenant = tenant
        var change = DeviceChange(
            app: app,
            device: device(byte),
            secretHash: secret.map { SecretHash(of: $0) },
            content: .registration(registration),
            claim: .granted,
            at: start
        )
        change.vendorDeviceID = "vendor-\(byte)"
        _ = try await stores.devices.apply(change)
    }

    private func call(_ stores: Stores, _ byte: UInt8, of device: UInt8) async throws {
        let registration = VoIPRegistration(token: try token(byte))
        let caller = DeviceCaller(app: app, device: self.device(device), secret: nil)
        _ = try await stores.devices.setVoIPToken(registration, of: caller, tokensPerUser: .many, at: start)
    }

    @Test("T-22 T-23 tokens are found by value, User and Device, and paged by User", arguments: StoreKind.allCases)
    func finds(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            for byte: UInt8 in 1...6 { try await register(stores, byte, user: "u\(byte % 2)") }
            try await call(stores, 20, of: 2)
            try await register(stores, 7, user: "u0", tenant: "a")

            let one = try await stores.devices.tokens(app: app, try token(3), tenant: nil)
            #expect(one.map(\.device) == [device(3)] && one.first?.vendorDeviceID == "vendor-3")
            #expect(one.first?.hasSecret == false)
            #expect(try await stores.devices.tokens(app: app, try token(7), tenant: nil).isEmpty)
            #expect(try await stores.devices.tokens(app: app, try token(7), tenant: "a").count == 1)
            #expect(
                try await stores.devices.tokens(app: app, try token(20), tenant: nil).map(\.pushType) == [.apnsVoIP]
            )
            #expect(try await stores.devices.tokens(app: app, of: device(2)).map(\.pushType) == [.apns, .apnsVoIP])
            let user = try #require(UserID(rawValue: "u1"))
            #expect(try await stores.devices.tokens(app: app, of: user).map(\.device) == [1, 3, 5].map(device))

            var found: [RegisteredToken] = []
            var position: TokenPosition?
            while true {
                let page = try await stores.devices.tokens(app: app, after: position, limit: 2)
                found += page
                guard let last = page.last, let user = last.registration.user else { break }
                position = TokenPosition(user: user, token: last.token, tenant: last.registration.tenant)
            }
            #expect(found.map(\.device) == [2, 2, 4, 6, 7, 1, 3, 5].map(device))
            #expect(found.map(\.pushType).filter(\.isVoIP).count == 1)
        }
    }

    @Test("A page goes on at its User when the cursor's token is gone", arguments: StoreKind.allCases)
    func survivesRemoval(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            for byte: UInt8 in 1...3 { try await register(stores, byte, user: "u\(byte)") }
            let position = TokenPosition(user: try #require(UserID(rawValue: "u2")), token: try token(9), tenant: nil)
            let page = try await stores.devices.tokens(app: app, after: position, limit: 10)
            #expect(page.map(\.device) == [device(2), device(3)])
        }
    }

    @Test("T-24 removing a token removes a Device without a secret and another token", arguments: StoreKind.allCases)
    func removes(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            try await register(stores, 1, user: "u1")
            try await call(stores, 2, of: 1)
            try await register(stores, 3, user: "u1", secret: "secret")
            func remove(_ byte: UInt8, _ type: PushType?, isTrusted: Bool = false) async throws -> DeviceDeletion {
                let removal = TokenRemoval(
                    app: app,
                    token: try token(byte),
                    tenant: nil,
                    pushType: type,
                    isTrusted: isTrusted
                )
                return try await stores.devices.removeToken(removal, at: start)
            }
            #expect(try await remove(1, .apnsSandbox) == .unknown)
            #expect(try await remove(1, .apns) == .deleted)
            #expect(
                try await stores.devices.device(app: app, device: device(1))?.tokenState == DeviceRecord.TokenState.none
            )
            #expect(try await remove(2, nil) == .deleted)
            #expect(try await stores.devices.device(app: app, device: device(1)) == nil)
            #expect(try await stores.database.count("SELECT count(*) FROM vendor_device_ids") == 1)
            #expect(try await remove(3, nil) == .refused)
            #expect(try await remove(3, nil, isTrusted: true) == .deleted)
            #expect(try await stores.devices.device(app: app, device: device(3))?.secretHash != nil)
        }
    }

    @Test("A caller without a secret changes no Device that has one", arguments: StoreKind.allCases)
    func refuses(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            try await register(stores, 1, user: "u1", secret: "secret")
            try await register(stores, 1, user: "u2")
            let stored = try await stores.devices.device(app: app, device: device(1))
            #expect(stored?.registration.user == UserID(rawValue: "u1"))
            try await register(stores, 2, user: "u1")
            try await register(stores, 2, user: "u1", secret: "secret")
            #expect(
                try await stores.devices.device(app: app, device: device(2))?.secretHash == SecretHash(of: "secret")
            )
        }
    }

    @Test("The key of a vendor API leads to one App", arguments: StoreKind.allCases)
    func vendorKeys(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            func api(_ app: AppID, _ api: VendorAPI, _ key: String) -> StoredVendorAPI {
                let hash = SecretHash(of: key)
                return StoredVendorAPI(app: app, api: api, keyHash: hash, secretHash: nil, updatedAt: start)
            }
            let other = AppID(rawValue: 78)
            #expect(try await stores.vendorAPIs.turnOn(api(other, .toast, "k1")) == .unknown)
            let app2 = App(id: other, request: AppRequest(name: "y", bundleID: "x.y"), createdAt: start)
            let secrets = SealedAppSecrets(keyHash: SecretHash(of: "78"), identitySecret: [1], receiptKey: [2])
            try await stores.apps.insert(StoredApp(app: app2, secrets: secrets))

            #expect(try await stores.vendorAPIs.turnOn(api(app, .toast, "k1")) == .on)
            #expect(try await stores.vendorAPIs.turnOn(api(other, .toast, "k1")) == .keyTaken)
            #expect(try await stores.vendorAPIs.turnOn(api(other, .corepush, "k1")) == .on)
            #expect(try await stores.vendorAPIs.turnOn(api(app, .toast, "k2")) == .on)
            #expect(try await stores.vendorAPIs.vendorAPI(.toast, keyHash: SecretHash(of: "k1")) == nil)
            #expect(try await stores.vendorAPIs.vendorAPI(.toast, keyHash: SecretHash(of: "k2"))?.app == app)
            #expect(try await stores.vendorAPIs.vendorAPIs(of: app) == [api(app, .toast, "k2")])
            #expect(try await stores.vendorAPIs.vendorAPIs(of: AppID(rawValue: 79)) == nil)
            #expect(try await stores.vendorAPIs.turnOff(.toast, app: app))
            #expect(try await stores.vendorAPIs.turnOff(.toast, app: app) == false)
        }
    }

    @Test("An app code leads to one App, whatever its case, until the API is off", arguments: StoreKind.allCases)
    func vendorCodes(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            func api(_ app: AppID, _ code: String, _ key: String) -> StoredVendorAPI {
                StoredVendorAPI(
                    app: app,
                    api: .coimotion,
                    keyHash: SecretHash(of: key),
                    secretHash: nil,
                    updatedAt: start,
                    coimotion: CoimotionSettings(code: code, contentSets: .init(twShow: "events"))
                )
            }
            func found(_ code: String) async throws -> StoredVendorAPI? {
                try await stores.vendorAPIs.coimotion(codeHash: StoredVendorAPI.hash(ofCode: code))
            }
            let other = AppID(rawValue: 78)
            let app2 = App(id: other, request: AppRequest(name: "y", bundleID: "x.y"), createdAt: start)
            let secrets = SealedAppSecrets(keyHash: SecretHash(of: "78"), identitySecret: [1], receiptKey: [2])
            try await stores.apps.insert(StoredApp(app: app2, secrets: secrets))

            #expect(try await stores.vendorAPIs.turnOn(api(app, "demoApp", "k1")) == .on)
            #expect(try await stores.vendorAPIs.turnOn(api(other, "DEMOapp", "k2")) == .codeTaken)
            #expect(try await found("demoapp") == api(app, "demoApp", "k1"))
            #expect(try await stores.vendorAPIs.vendorAPI(.coimotion, keyHash: SecretHash(of: "k2")) == nil)
            #expect(try await stores.vendorAPIs.turnOn(api(app, "another", "k1")) == .on)
            #expect(try await found("demoApp") == nil)
            #expect(try await stores.vendorAPIs.turnOn(api(other, "demoApp", "k2")) == .on)
            #expect(try await stores.vendorAPIs.vendorAPIs(of: app) == [api(app, "another", "k1")])
            #expect(
                try await stores.vendorAPIs.vendorAPI(.coimotion, keyHash: SecretHash(of: "k2"))
                    == api(other, "demoApp", "k2")
            )
            #expect(try await stores.vendorAPIs.turnOff(.coimotion, app: other))
            #expect(try await found("demoApp") == nil)
        }
    }
}

extension Database {
    fileprivate func count(_ sql: SQL) async throws -> Int? {
        try await read { connection in try connection.first(sql, as: Int.self) }
    }
}
