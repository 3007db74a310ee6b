import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@Suite struct DeviceStoreTests {
    private let app = AppID(rawValue: 77)
    private let start = Timestamp(rawValue: 1_800_000_000_000)

    @Test("T-18 re-registration without changes updates the time", arguments: StoreKind.allCases)
    func refreshesTime(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let device = newDevice()
            _ = try await stores.devices.apply(change(device, token: 1))
            _ = try await stores.devices.apply(change(device, token: 1, after: 5_000))

            let stored = try #require(try await stores.devices.device(app: app, device: device))
            #expect(stored.createdAt == start)
            #expect(stored.registeredAt == Timestamp(rawValue: start.rawValue + 5_000))
        }
    }

    @Test("T-17 a second token of a Device replaces the first", arguments: StoreKind.allCases)
    func secondTokenRemovesFirst(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let device = newDevice()
            _ = try await stores.devices.apply(change(device, token: 1))
            _ = try await stores.devices.apply(change(device, token: 2))

            #expect(try await tokens(stores) == [token(2).bytes])
        }
    }

    @Test("A token that another Device registers moves there, and nothing else does", arguments: StoreKind.allCases)
    func movesTokens(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let first = newDevice()
            let second = newDevice()
            var told = change(first, token: 1)
            told.content = .registration(registration(token: 1, user: "u1"))
            _ = try await stores.devices.apply(told)

            _ = try await stores.devices.apply(change(second, token: 1))

            let loser = try #require(try await stores.devices.device(app: app, device: first))
            let winner = try #require(try await stores.devices.device(app: app, device: second))
            #expect(loser.tokenState == .none)
            #expect(loser.registration.user == UserID(rawValue: "u1"))
            #expect(winner.tokenState == .active)
            #expect(winner.registration.user == nil)
            #expect(try await tokens(stores) == [token(1).bytes])
        }
    }

    @Test("The same token may be in both environments and in two Apps", arguments: StoreKind.allCases)
    func sharesTokensBetweenApps(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let sandbox = newDevice()
            var told = change(sandbox, token: 1)
            var registration = registration(token: 1)
            registration.pushType = .apnsSandbox
            told.content = .registration(registration)
            _ = try await stores.devices.apply(told)
            _ = try await stores.devices.apply(change(newDevice(), token: 1))
            let other = AppID(rawValue: 78)
            try await insertApp(stores, other)
            var elsewhere = change(newDevice(), token: 1)
            elsewhere.app = other
            _ = try await stores.devices.apply(elsewhere)

            #expect(try await tokens(stores).count == 3)
            #expect(try await stores.devices.device(app: app, device: sandbox)?.tokenState == .active)
        }
    }

    @Test(
        "Leaving a User gives a new, greater number, and the old one still names the Device",
        arguments: StoreKind.allCases
    )
    func renumbers(
        _ kind: StoreKind
    ) async throws {
        try await withStores(kind) { stores in
            let device = newDevice()
            var told = change(device, token: 1)
            told.content = .registration(registration(token: 1, user: "u1"))
            _ = try await stores.devices.apply(told)
            let before = try #require(try await stores.devices.device(app: app, device: device))
            _ = try await stores.devices.apply(change(newDevice(), token: 2))

            told.content = .registration(registration(token: 1, user: "u2"))
            _ = try await stores.devices.apply(told)

            let after = try #require(try await stores.devices.device(app: app, device: device))
            #expect(after.number > DeviceNumber(rawValue: before.number.rawValue + 1))
            #expect(after.tokenState == .active)
            #expect(try await tokens(stores).count == 2)
            let former = try await stores.database.read { connection in
                try connection.all("SELECT number, user_id FROM former_device_numbers") { row in
                    "\(row.int64(0)) \(row.string(1))"
                }
            }
            #expect(former == ["\(before.number.rawValue) u1"])
        }
    }

    @Test("An invalid token is dropped only if it was not registered since", arguments: StoreKind.allCases)
    func keepsNewerTokens(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let device = newDevice()
            _ = try await stores.devices.apply(change(device, token: 1, after: 1_000))

            #expect(try await drop(stores, device, token: 1, since: 999) == false)
            #expect(try await drop(stores, device, token: 1, since: 1_000) == false)
            #expect(try await drop(stores, device, token: 2, since: 1_001) == false)
            #expect(try await drop(stores, device, token: 1, since: 1_001) == true)
            #expect(try await drop(stores, device, token: 1, since: 1_001) == false)
            #expect(try await stores.devices.device(app: app, device: device)?.tokenState == .dropped)

            // It becomes active when the app registers it.
            _ = try await stores.devices.apply(change(device, token: 1, after: 2_000))
            #expect(try await stores.devices.device(app: app, device: device)?.tokenState == .active)
            #expect(try await drop(stores, device, token: 1, since: nil) == true)
        }
    }

    @Test("A quarantined token is unused until it is registered again", arguments: StoreKind.allCases)
    func quarantinesTokens(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let device = newDevice()
            _ = try await stores.devices.apply(change(device, token: 1))
            let number = try #require(try await stores.devices.device(app: app, device: device)).number
            let verdict = ChunkCommit.TokenVerdict(
                device: number,
                pushType: .apns,
                token: token(1).bytes,
                .quarantined,
                reason: FailureReason(rawValue: "BadDeviceToken")
            )
            let isQuarantined = try await stores.save(verdict, app: app, at: start)

            #expect(isQuarantined)
            #expect(try await stores.devices.device(app: app, device: device)?.tokenState == .quarantined)
            _ = try await stores.devices.apply(change(device, token: 1))
            #expect(try await stores.devices.device(app: app, device: device)?.tokenState == .active)
        }
    }

    @Test("T-13 when many Devices register one token at once, one has it in the end", arguments: StoreKind.allCases)
    func keepsTokensUnique(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let devices = (0..<24).map { _ in newDevice() }
            // Two tokens that move in a circle, so that Devices also take tokens back.
            for round in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (place, device) in devices.enumerated() {
                        let change = change(device, token: UInt8((place + round) % 2 + 1), after: Int64(round))
                        group.addTask { _ = try await stores.devices.apply(change) }
                    }
                    try await group.waitForAll()
                }
            }

            let tokens = try await tokens(stores)
            #expect(tokens.count == 2)
            #expect(Set(tokens).count == 2)
        }
    }

    @Test("Many concurrent Devices get different numbers", arguments: StoreKind.allCases)
    func numbersDevices(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<300 {
                    group.addTask { _ = try await stores.devices.apply(change(newDevice(), token: nil)) }
                }
                try await group.waitForAll()
            }

            let numbers = try await stores.database.read { connection in
                try connection.all("SELECT number FROM devices ORDER BY number") { row in row.int64(0) }
            }
            #expect(numbers == Array(1...300))
        }
    }

    @Test("A restart never reuses a number", arguments: StoreKind.allCases)
    func neverReusesNumbers(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let first = newDevice()
            _ = try await stores.devices.apply(change(first, token: nil))
            let before = try #require(try await stores.devices.device(app: app, device: first)).number
            _ = try await stores.devices.delete(app: app, device: first, secretHash: nil, at: Timestamp(rawValue: 9))

            let restarted = try await Stores(migrating: stores.database, now: start)
            let second = newDevice()
            _ = try await restarted.devices.apply(change(second, token: nil))

            let after = try #require(try await restarted.devices.device(app: app, device: second)).number
            #expect(after > before)
        }
    }

    @Test("Deleting leaves nothing that names the Device", arguments: StoreKind.allCases)
    func deletesDevices(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let device = newDevice()
            var told = change(device, token: 1)
            for user in ["u1", "u2"] {
                told.content = .registration(registration(token: 1, user: user))
                _ = try await stores.devices.apply(told)
            }

            let deletion = try await stores.devices.delete(
                app: app,
                device: device,
                secretHash: told.secretHash,
                at: Timestamp(rawValue: 9)
            )

            #expect(deletion == .deleted)
            for table in ["devices", "call_tokens", "former_device_numbers"] {
                #expect(try await isEmpty(stores, table), "\(table)")
            }
        }
    }
}

extension DeviceStoreTests {
    private func withStores(_ kind: StoreKind, _ body: (Stores) async throws -> Void) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: start)
            try await insertApp(stores, app)
            try await body(stores)
        }
    }

    private func insertApp(_ stores: Stores, _ id: AppID) async throws {
        let app = App(id: id, request: AppRequest(name: "Shop", bundleID: "com.example.shop"), createdAt: start)
        let secrets = SealedAppSecrets(
            keyHash: SecretHash(of: "\(id)"),
            identitySecret: [1],
            receiptKey: [2]
        )
        try await stores.apps.insert(StoredApp(app: app, secrets: secrets))
    }

    private func newDevice() -> DeviceID { DeviceID(rawValue: UUID()) }

    private func token(_ byte: UInt8) -> DeviceToken {
        guard let token = DeviceToken(bytes: Array(repeating: byte, count: 32)) else {
            preconditionFailure("32 bytes make a token.")
        }
        return token
    }

    private func registration(token byte: UInt8?, user: String? = nil) -> Registration {
        var registration = Registration(token: byte.map(token), consent: Consent(notifications: true))
        registration.user = user.flatMap(UserID.init(rawValue:))
        return registration
    }

    private func change(_ device: DeviceID, token: UInt8?, after milliseconds: Int64 = 0) -> DeviceChange {
        DeviceChange(
            app: app,
            device: device,
            secretHash: SecretHash(of: "secret of \(device)"),
            content: .registration(registration(token: token)),
            claim: .granted,
            at: Timestamp(rawValue: start.rawValue + milliseconds)
        )
    }

    private func drop(
        _ stores: Stores,
        _ device: DeviceID,
        token byte: UInt8,
        since milliseconds: Int64?
    ) async throws -> Bool {
        let number = try #require(try await stores.devices.device(app: app, device: device)).number
        let since = milliseconds.map { Timestamp(rawValue: start.rawValue + $0) }
        let verdict = ChunkCommit.TokenVerdict(
            device: number,
            pushType: .apns,
            token: token(byte).bytes,
            .dead,
            since: since,
            reason: FailureReason(rawValue: "Unregistered")
        )
        return try await stores.save(verdict, app: app, at: Timestamp(rawValue: 1))
    }

    private func tokens(_ stores: Stores) async throws -> [[UInt8]] {
        try await stores.database.read { connection in
            try connection.all("SELECT token FROM devices WHERE token IS NOT NULL ORDER BY app_id, number") { row in
                row.array(0)
            }
        }
    }

    private func isEmpty(_ stores: Stores, _ table: String) async throws -> Bool {
        try await stores.database.read { connection in
            let sql: SQL =
                switch table {
                case "devices": "SELECT 1 FROM devices"
                case "call_tokens": "SELECT 1 FROM call_tokens"
                default: "SELECT 1 FROM former_device_numbers"
                }
            return try connection.first(sql) { _ in true } == nil
        }
    }
}
