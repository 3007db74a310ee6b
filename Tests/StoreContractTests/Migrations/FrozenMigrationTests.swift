import CarillonEngine
import CarillonModel
import Foundation
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// Databases have the existing migrations, so these never change.
struct FrozenMigrationTests {
    /// SHA-256 of each migration's statements, on SQLite and on PostgreSQL.
    private static let checksums = [
        "0001 baseline": [
            "fa2695cac2d706a001c6fe9fd3fd262f846c81b5a1e3bed458b38ad571b9d613",
            "2e903c57cdb5781c4adc64f0dcffd19f772d1ca2b388908bce7bd7166490fd29",
        ],
        "0002 recipient lists": [
            "789e399f2398843ca844ae505b771fd0dca7ca4ac2ca01ce79638ae2411efd52",
            "595fa104db279f1d987083a76cfb5017fd49193e5785593596241942f1ab19eb",
        ],
        "0003 deleted apps": [
            "a2b1f4d0e88acdbbd2b0af7f5d9fb441acf96372ce17c0e1a1b9bcbab3b986e3",
            "2131a0817ae92ed522af2221d3c24bee788ac170e1b45170e1590b8883c308ee",
        ],
        "0004 webhook ages": [
            "7b7c436adeb9e22806d9f46556011764825f55d13900e9eb6e4eb4ecb1443090",
            "7b7c436adeb9e22806d9f46556011764825f55d13900e9eb6e4eb4ecb1443090",
        ],
        "0005 vendor APIs": [
            "26bc6c40a95c9306e364c8c2db5dcdc8344ea20000492d05d1d16bb5f45fc2e3",
            "5246eef1b4dab8c19ea61d09e26d4b1e9884bcf8e4c358ad37a94be79d66ee51",
        ],
        "0006 badges": [
            "255ef310baa04c3c4c24c6742cff988e9757c62930b4275727ffef989da87f23",
            "ffd1cc40555d01fa60c0dddb0bf662be1ac9fadd3c5c716a2ba035b87d1b5732",
        ],
        "0007 removed tokens": [
            "2c7938cb69f4cbf96d9969c0a3f50601cc236eeac787d2b8cb8d2225be0199c5",
            "959baf4ed7214b53d1ea5352aa94f63318ed726595abe8bf3c6faa99445de03c",
        ],
        "0008 content sets": [
            "7d33815e4f6929cb163902ddfba8602a092f24d3a7ac3db5a15afeaa7ca56ddb",
            "4339599683a286306b956bf1d76fa668e48e2e89f84daf2152ec64e0d7eb6be0",
        ],
        "0009 accounts": [
            "da1aa5d8238ac48dfea9dd9cd96e70295b8f8fe9962ee70ec01547440b885c0e",
            "53bd6e7a602025e744277fc2263c38722cdbb4721409e3c834f20a32e97cd5a8",
        ],
        "0010 vendor app codes": [
            "1963bbd3c6b2c3547d48304d693cf96cc5738e37567af86294fceb005069a613",
            "0effda5df819f6e8e546dce612abc0e1034e666b5de810e2a8baeb73762c58c9",
        ],
        "0011 ends of tokens": [
            "658ce9266f6242e12e19ef2d795538f862ad5ba92f6db3ad2974bf415c1921a9",
            "658ce9266f6242e12e19ef2d795538f862ad5ba92f6db3ad2974bf415c1921a9",
        ],
        "0012 content attachments": [
            "cf31d1435e6bb9df2b3957b1a43226d9f32db0f9457b90cecaf7847617addc6e",
            "2d2ce83fd8f185256fd0977706824242bb629482fd1367fc56cc4c4f9e12b79b",
        ],
        "0017 sign-ins of operators": [
            "71eaf88ec1c3bedb0f609de62e507434899bba286e63ac998c2858b1697b6abc",
            "86a71cabda515944971a1f73188d79fbd129fee15eac41cd1e8b9986298ea477",
        ],
        "0014 changes by imports": [
            "ca250c191ea7f72f654c87f45f193ac8c175d1e3d9fb6e66668db026373b26d9",
            "ca250c191ea7f72f654c87f45f193ac8c175d1e3d9fb6e66668db026373b26d9",
        ],
        "0019 settings": [
            "66844731ebc770f74e62d13613fb41dc484dbe7bc6fba1753b4df21055b484e0",
            "7cbcd20fc85f0c93b7e40e9049043be11a91b3ecbb7ed91ba08c87dcdb750e8b",
        ],
        "0022 tags and audiences": [
            "c416868dbb1870e31e2675c9e6018343f43cf40ed9cf7b18029ef4f286dc481e",
            "64367897bfa741a7031f85d83b33d517393cdabca34d899cfe1ea3685f753108",
        ],
        "0015 guards of sends": [
            "32a59db3693a0dd78eeaf37f592a947bb5de9be746c99bc322737475aeed3058",
            "db2e75eaccdb2f9e25ff263982c0bda972959f8893b8912036acd91ba4b04562",
        ],
        "0018 paused apps": [
            "c73a29f6df005cfa5eb6832c0d0e6f62fbdcec968d91b100b39c194cf0223d19",
            "c8aa2094ec896db05b03341670587f2d54d875dae46d7803ce80d656cb53c520",
        ],
        "0016 test devices": [
            "72234a683c6c0b9e641758caa2e24298e5811c33fe81285a5d6a8d23a3dbfc43",
            "7bc0ff08cb94073c55b34f3eee24496d1e21613fa5d265ee179f14c84fb44152",
        ],
        "0013 operators": [
            "47bbb94d9bab8e7fc2ac6fa32b8e9f79400090f6cd508a6720f97fbe3a3ec263",
            "55b61ef0ec0643508e91a16f40f5db6c2efffa448b53b1be4856d075dc404979",
        ],
    ]

    /// Spaces and line breaks are equal.
    private static func checksum(_ migration: Migration, _ dialect: Dialect) -> String {
        let ahead = migration.indexesAhead.map { "\($0.name) \($0.table) \($0.columns)" }
        let statements = ahead + SQLScript.statements(of: migration.script(dialect))
        let text = statements.joined(separator: ";").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return SecretHash(of: text).withUnsafeBytes { bytes in
            bytes.map { String(format: "%02x", $0) }.joined()
        }
    }

    @Test("Existing migrations are unchanged") func migrationsAreFrozen() {
        #expect(Set(Self.checksums.keys) == Set(Migration.all.map(\.name)), "A new migration has its checksums here.")
        for migration in Migration.all {
            let found = [Self.checksum(migration, .sqlite), Self.checksum(migration, .postgreSQL)]
            #expect(
                found == Self.checksums[migration.name],
                "Databases have \"\(migration.name)\": add a new migration, do not edit this one."
            )
        }
    }

    @Test("An import builds the indexes of devices that the schema has", arguments: StoreKind.allCases)
    func deviceIndexes(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let names = DeviceIndexes.all(database.dialect).map(\.name)
            let schema = try await definitions(of: names, database)
            #expect(schema.count == names.count)

            #expect(try await stores.deviceImports.beginBulk())
            #expect(try await definitions(of: names, database) == [])
            try await stores.deviceImports.endBulk()

            #expect(try await definitions(of: names, database) == schema)
        }
    }

    private func definitions(of names: [String], _ database: any Database) async throws -> [String] {
        let all = try await database.read { connection in
            try connection.all(
                connection.dialect.pick(
                    sqlite: "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL LIMIT 1000",
                    postgreSQL: """
                        SELECT CAST(indexname AS TEXT), indexdef FROM pg_indexes
                        WHERE schemaname = current_schema() LIMIT 1000
                        """
                )
            ) { (name: $0.string(0), definition: $0.string(1)) }
        }
        return all.filter { names.contains($0.name) }.map(\.definition).sorted()
    }
}
