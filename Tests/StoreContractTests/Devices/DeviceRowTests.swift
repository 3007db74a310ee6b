import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// No two fields of a type have the same value here, so that exchanged columns are detected.
@Suite struct DeviceRowTests {
    @Test("Each field of a Device has its own column", arguments: StoreKind.allCases)
    func columns(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let inserted = try row(0)
            let updated = try row(100)
            let found = try await database.write { connection in
                try connection.devices.insertDevice(inserted)
                let first = try Columns(connection)
                let read = try connection.devices.deviceRow(app: inserted.app, device: inserted.device)
                try connection.devices.updateDevice(updated, formerNumber: inserted.number)
                let locked = try connection.devices.lockedDeviceRow(app: inserted.app, device: inserted.device)
                return (first, read, try Columns(connection), locked)
            }

            expect(found.0, of: inserted)
            try expect(#require(found.1), equals: inserted)
            expect(found.2, of: updated)
            try expect(#require(found.3), equals: updated)
        }
    }

    private func expect(_ columns: Columns, of row: DeviceRow) {
        let registration = row.registration
        let texts = [
            registration.language, registration.country, registration.timeZone, registration.appVersion,
            registration.osVersion, registration.model, registration.sdkVersion, registration.user?.rawValue,
            registration.tenant, row.tags.stored,
        ]
        let times = [
            row.tokenAt, row.consentTimes.notifications, row.consentTimes.ads, row.consentTimes.nightAds,
            registration.location?.at, row.createdAt, row.registeredAt,
        ]
        #expect(columns.texts == texts)
        #expect(columns.times == times)
        #expect(columns.places == [registration.location?.latitude, registration.location?.longitude])
        #expect(columns.codes == [5, 2, 3, 2, 1])
    }

    private func expect(_ row: DeviceRow, equals other: DeviceRow) {
        #expect(row.registration == other.registration)
        #expect(row.consentTimes == other.consentTimes)
        #expect(row.stored == other.stored)
        #expect(row.tags == other.tags)
        #expect(row.tokenAt == other.tokenAt)
        #expect(row.isTokenUnconfirmed == other.isTokenUnconfirmed)
    }

    private func row(_ base: Int64) throws -> DeviceRow {
        func time(_ number: Int64) -> Timestamp { Timestamp(rawValue: base + number) }
        var registration = Registration(
            token: DeviceToken(bytes: Array(repeating: UInt8(base + 1), count: 32)),
            pushType: .apnsSandbox,
            consent: Consent(notifications: true, ads: false, nightAds: true)
        )
        registration.user = UserID(rawValue: "user \(base)")
        registration.permission = .provisional
        registration.language = "language \(base)"
        registration.country = "country \(base)"
        registration.timeZone = "zone \(base)"
        registration.appVersion = "app \(base)"
        registration.osVersion = "os \(base)"
        registration.model = "model \(base)"
        registration.sdkVersion = "sdk \(base)"
        registration.tenant = "tenant \(base)"
        registration.categories = .list(["category \(base)"])
        registration.location = DeviceLocation(latitude: 1, longitude: 2 + Double(base), at: time(3))
        return DeviceRow(
            app: AppID(rawValue: 77),
            number: DeviceNumber(rawValue: base + 1),
            device: DeviceID(rawValue: try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))),
            secretHash: SecretHash(of: "secret \(base)"),
            registration: registration,
            consentTimes: ConsentTimes(notifications: time(4), ads: time(5), nightAds: time(6)),
            tags: TagNumbers([base + 7, base + 8]),
            tokenState: .quarantined,
            tokenAt: time(9),
            isTokenUnconfirmed: true,
            createdAt: Timestamp(rawValue: 10),
            registeredAt: time(11)
        )
    }
}

/// The only row of `devices`, by column name.
private struct Columns {
    let texts: [String?]
    let times: [Timestamp?]
    let places: [Double?]
    let codes: [Int]

    init(_ connection: any SQLConnection) throws {
        let texts: SQL = """
            SELECT language, country, time_zone, app_version, os_version, model, sdk_version, user_id, tenant, tags
            FROM devices
            """
        let times: SQL = """
            SELECT token_at, notifications_since, ads_since, night_ads_since, located_at, created_at, registered_at
            FROM devices
            """
        let codes: SQL = "SELECT consent, push_type, permission, token_state, token_unconfirmed FROM devices"
        func row<Value: SQLReadable>(_ sql: SQL, _ count: Int) throws -> [Value] {
            try connection.first(sql) { (row: any SQLStatement) in try (0..<count).map { try .read(row, at: $0) } }
                ?? []
        }
        self.texts = try row(texts, 10)
        self.times = try row(times, 7)
        places = try row("SELECT latitude, longitude FROM devices", 2)
        self.codes = try row(codes, 5)
    }
}
