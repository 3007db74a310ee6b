import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import TestStores
import Testing

/// One Device of an App is found by an index, however many there are.
@Suite struct PlannerStatisticsTests {
    private static let app = AppID(rawValue: 7)
    private static let user = UserID(rawValue: "u1")!
    /// Statements that are meant to read all Devices of an App.
    private static let isMeantTo = ["SELECT 1 FROM devices LIMIT 1"]

    private func registration(_ token: UInt8) -> Registration {
        var registration = Registration(
            token: DeviceToken(bytes: Array(repeating: token, count: 32)),
            consent: Consent(notifications: true)
        )
        registration.user = Self.user
        return registration
    }

    /// Every lookup of single Devices, by the given keys.
    private func live(_ stores: Stores) async throws {
        let start = Timestamp(rawValue: 1_800_000_000_000)
        try await stores.database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number, tokens_per_user)
                    VALUES (7, 'Shop', 'com.example.shop', 'open', 0, 100, 1);
                    INSERT INTO tags (app_id, id, name, created_at, number) VALUES (7, 'aaaaaaaa', 'vip', 0, 1);
                    """
            )
        }
        for place in 1...2 as ClosedRange<UInt8> {
            let device = DeviceID(rawValue: UUID())
            let change = DeviceChange(
                app: Self.app,
                device: device,
                secretHash: SecretHash(of: "a secret"),
                content: .registration(registration(place)),
                claim: .granted,
                at: start
            )
            _ = try await stores.devices.apply(change)
        }
        let tag = try #require(try await stores.tags.tags(app: Self.app, named: "vip", after: nil, limit: 1).first)
        _ = try await stores.tags.apply(.replace([tag.id]), to: [Self.user], app: Self.app)
        let line = ImportedDevice(
            line: 1,
            device: nil,
            token: try #require(registration(1).token),
            registration: registration(1)
        )
        _ = try await stores.deviceImports.importDevices([line], app: Self.app, at: start)
        let erasure = try await stores.users.beginErasure(of: Self.user, app: Self.app, at: start)
        while try await stores.users.removeSomeDevices(of: Self.user, app: Self.app, at: start) {}
        #expect(try await stores.users.eraseRest(of: erasure))
    }

    @Test("One Device is found by an index, however many there are") func findsOneDevice() async throws {
        let database = try SQLiteDatabase(inMemory: .forTests)
        defer { database.close() }
        let stores = try await Stores(migrating: database, now: Timestamp(rawValue: 1))

        try await live(stores)

        let plans = try await database.write { connection in try connection.plansOfPrepared() }
        let ofDevices = plans.filter { $0.text.contains("devices") }
        #expect(ofDevices.count >= 10)
        for plan in ofDevices where !Self.isMeantTo.contains(plan.text) {
            for line in plan.lines {
                #expect(!line.hasPrefix("SCAN devices") && !line.hasSuffix("PRIMARY KEY (app_id=?)"), "\(plan.text)")
            }
        }
        // By both ends of the token: made-up ones often begin alike.
        let byToken = ofDevices.flatMap(\.lines).filter { $0.contains("devices_by_token") }
        #expect(!byToken.isEmpty && byToken.allSatisfy { $0.hasSuffix("(app_id=? AND <expr>=? AND <expr>=?)") })
    }

    @Test("Rebuilt indexes get statistics again") func analyzesIndexes() async throws {
        let database = try SQLiteDatabase(inMemory: .forTests)
        defer { database.close() }
        let stores = try await Stores(migrating: database, now: Timestamp(rawValue: 1))
        let before = try await figures(database)

        #expect(try await stores.deviceImports.beginBulk())
        #expect(try await figures(database).count == before.count - 3)
        _ = try await stores.deviceImports.endBulk()

        #expect(try await figures(database) == before)
        #expect(before["devices_by_token"] == "1000000 1000000 10 10 noskipscan")
        #expect(before["devices"] == "1000000 1000000 1 noskipscan")
    }

    private func figures(_ database: SQLiteDatabase) async throws -> [String: String] {
        try await database.read { connection in
            let rows = try connection.all("SELECT idx, stat FROM sqlite_stat1") { ($0.string(0), $0.string(1)) }
            return Dictionary(uniqueKeysWithValues: rows)
        }
    }
}
