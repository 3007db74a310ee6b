import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

@Suite struct MigrationTests {
    private let now = Timestamp(rawValue: 1_800_000_000_000)

    @Test(arguments: StoreKind.allCases)
    func `the schema is made once`(_ kind: StoreKind) async throws {
        try await kind.withDatabase(hasSchema: false) { database in
            try await database.migrate(now: now)
            try await database.migrate(now: Timestamp(rawValue: 2))

            let applied = try await database.read { connection throws(StoreError) in
                try connection.all("SELECT name, applied_at FROM schema_migrations ORDER BY name") { row in
                    row.string(0) + " \(row.int64(1))"
                }
            }
            #expect(applied == Migration.all.map { $0.name + " 1800000000000" })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a step that fails leaves nothing behind`(_ kind: StoreKind) async throws {
        try await kind.withDatabase(hasSchema: false) { database in
            let good = Migration(name: "0001 good") { _ in "CREATE TABLE good (id BIGINT)" }
            let bad = Migration(name: "0002 bad") { _ in "CREATE TABLE half (id BIGINT); CREATE NONSENSE" }

            await #expect(throws: StoreError.self) { try await database.migrate([good, bad], now: now.rawValue) }

            try await database.write { connection throws(StoreError) in
                try connection.execute(script: "INSERT INTO good (id) VALUES (1)")
            }
            await #expect(throws: StoreError.self) {
                try await database.write { connection throws(StoreError) in
                    try connection.execute(script: "INSERT INTO half (id) VALUES (1)")
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a database of a newer version is left alone`(_ kind: StoreKind) async throws {
        try await kind.withDatabase(hasSchema: false) { database in
            let newer = Migration(name: "9999 newer") { _ in "CREATE TABLE newer (id BIGINT)" }
            try await database.migrate(Migration.all + [newer], now: now.rawValue)

            await #expect(
                throws: StoreError.failed("The database has the step \"9999 newer\", which a newer version made.")
            ) {
                try await database.migrate(now: now)
            }
        }
    }
}

extension MigrationTests {
    @Test(arguments: StoreKind.allCases)
    func `tags of before facets have them afterwards`(_ kind: StoreKind) async throws {
        let kinds: [(consent: Int64, language: String?, country: String?)] = [
            (3, "ko-KR", "KR"), (0, "JA_jp", nil), (7, "x", "日本"), (1, nil, "zZ"), (4, "k1", "{a"), (2, "éa", "@a"),
        ]
        try await kind.withDatabase(hasSchema: false) { database in
            let former = Migration.all.prefix { $0.name != Migration.facets.name }
            try await database.migrate(Array(former), now: now.rawValue)
            try await database.write { connection throws(StoreError) in
                for (place, kind) in kinds.enumerated() {
                    try connection.run(
                        """
                        INSERT INTO devices (app_id, number, public_id, consent, push_type, language, country,
                            created_at, registered_at, tags)
                        VALUES (1, $1, $2, $3, 1, $4, $5, 0, 0, '9')
                        """,
                        Int64(place),
                        DeviceID(rawValue: UUID()),
                        kind.consent,
                        kind.language,
                        kind.country
                    )
                }
                // The last has no Device.
                for number in 0...kinds.count {
                    let insert: SQL = "INSERT INTO device_tags (app_id, tag, device_number) VALUES (1, 9, $1)"
                    try connection.run(insert, Int64(number))
                }
            }

            try await database.migrate(now: now)

            let facets = try await database.read { connection throws(StoreError) in
                try connection.all("SELECT facets FROM device_tags ORDER BY device_number") { row in row.int64(0) }
            }
            let expected = kinds.map { kind in
                let consent = ConsentBits(rawValue: UInt8(kind.consent))
                return DeviceFacets(consent: consent, language: kind.language, country: kind.country).rawValue
            }
            #expect(facets == expected)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `provider tokens of before keys were told apart are found by their ids`(_ kind: StoreKind) async throws {
        try await kind.withDatabase(hasSchema: false) { database in
            let former = Migration.all.prefix { $0.name != Migration.providerTokens.name }
            try await database.migrate(Array(former), now: now.rawValue)
            _ = try await database.write { connection throws(StoreError) in
                try connection.run(
                    "INSERT INTO provider_tokens (team_id, key_id, token, issued_at) VALUES ('T', 'K', $1, 5)",
                    [1, 2, 3] as [UInt8]
                )
            }

            try await database.migrate(now: now)

            let tokens = ProviderTokenRepository(database: database)
            let kept = try await tokens.formerToken(keyID: "K", teamID: "T")
            #expect(kept == SealedProviderToken(sealed: [1, 2, 3], issuedAt: Timestamp(rawValue: 5)))
            let key = ProviderKey(keyID: "K", teamID: "T", publicKeyHash: [UInt8](repeating: 7, count: 32))
            #expect(try await tokens.token(of: key) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `Devices and Apps of before labels are there afterwards`(_ kind: StoreKind) async throws {
        try await kind.withDatabase(hasSchema: false) { database in
            try await database.migrate([.registry, .deliveries], now: now.rawValue)
            let device = DeviceID(rawValue: UUID())
            try await database.write { connection throws(StoreError) in
                try connection.run(
                    """
                    INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                    VALUES (1, 'Shop', 'com.example.shop', 'open', 0, 2)
                    """
                )
                try connection.run(
                    """
                    INSERT INTO devices (app_id, number, public_id, consent, push_type, created_at, registered_at)
                    VALUES (1, 1, $1, 3, 1, 5, 6)
                    """,
                    device
                )
            }

            let stores = try await Stores(migrating: database, now: now)

            let stored = try #require(try await stores.devices.device(app: AppID(rawValue: 1), device: device))
            #expect(stored.registration == Registration(consent: Consent(notifications: true, ads: true)))
            #expect(stored.consentTimes == ConsentTimes())
            #expect(try await stores.apps.app(AppID(rawValue: 1))?.dialect == .carillon)
            #expect(try await stores.apps.app(AppID(rawValue: 1))?.adRule == .everyone)
        }
    }
}
