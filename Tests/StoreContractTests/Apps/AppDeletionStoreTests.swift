import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// Deletion of Apps, on both databases.
@Suite(.timeLimit(.minutes(5))) struct AppDeletionStoreTests {
    static let app = AppID(rawValue: 7)
    static let other = AppID(rawValue: 8)
    static let now = Timestamp(rawValue: 1_700_000_000_000)
    /// Tables that keep an App's rows.
    static let kept: Set<String> = ["audit_log"]

    @Test(
        "A deleted App's rows are removed from every table but the audit log, and no other App's",
        arguments: StoreKind.allCases
    )
    func everyTable(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let store = try await Stores(migrating: database, now: Self.now).appDeletions
            try await addApps(database)
            let tables = try await tables(database)
            #expect(Set(tables.keys) == Set(AppRows.all.map(\.table)).union(Self.kept))
            for (table, columns) in tables {
                for app in [Self.app, Self.other] { try await fill(table, columns, app, database) }
            }

            await #expect(throws: StoreError.self) {
                try await store.removeSome(of: Self.app, after: .start, onlyWork: false)
            }
            #expect(try await store.delete(Self.app, at: Self.now) != nil)
            #expect(try await store.delete(Self.app, at: Self.now) == nil)
            #expect(try await store.hasRows(of: Self.app))
            _ = try await removeAll(store)

            for table in tables.keys.sorted() {
                let left = try await count(table, Self.app, database)
                #expect(left == (Self.kept.contains(table) ? 3 : 0), "\(table)")
                #expect(try await count(table, Self.other, database) == rowCount(table), "\(table)")
            }
            #expect(try await !store.hasRows(of: Self.app))
            #expect(try await store.hasRows(of: Self.other))
        }
    }

    @Test(
        "Keys and secrets go with the request, and work of dispatchers before other rows",
        arguments: StoreKind.allCases
    )
    func secretsFirst(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let store = try await Stores(migrating: database, now: Self.now).appDeletions
            try await addApps(database)
            let tables = try await tables(database)
            for (table, columns) in tables { try await fill(table, columns, Self.app, database) }
            try await database.write { connection in
                try connection.execute(
                    script: """
                        DELETE FROM push_keys;
                        INSERT INTO push_keys (app_id, key_id, team_id, private_key, updated_at)
                        SELECT 7, 'own', 't', secret, 0 FROM webhooks LIMIT 1;
                        INSERT INTO provider_tokens (team_id, key_id, public_key_hash, token, issued_at)
                        SELECT 't', 'own', secret, secret, 0 FROM webhooks LIMIT 1;
                        INSERT INTO provider_tokens (team_id, key_id, public_key_hash, token, issued_at)
                        SELECT 't', 'others', secret, secret, 0 FROM webhooks LIMIT 1;
                        """
                )
            }

            let campaigns = try await store.delete(Self.app, at: Self.now)
            #expect(campaigns.map { Set($0.map(\.rawValue)) } == [1, 2, 3])
            for table in [
                "push_keys", "app_secrets", "former_app_secrets", "user_message_rules", "webhooks", "api_keys",
                "vendor_apis", "vendor_app_codes", "content_sources",
            ] {
                #expect(try await count(table, Self.app, database) == 0, "\(table)")
            }
            let tokens = try await database.read { connection in
                try connection.all("SELECT key_id FROM provider_tokens LIMIT 10", as: String.self)
            }
            #expect(tokens == ["others"])

            _ = try await removeAll(store, onlyWork: true)
            for rows in AppRows.all where tables[rows.table] != nil && !rows.key.isEmpty {
                #expect((try await count(rows.table, Self.app, database) == 0) == rows.isWork, "\(rows.table)")
            }
        }
    }

    @Test("A provider token stays while another App has its key", arguments: StoreKind.allCases)
    func sharedKey(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: Self.now)
            try await addApps(database)
            for app in [Self.app, Self.other] {
                _ = try await stores.apps.setPushKey(
                    app,
                    keyID: "k",
                    teamID: "t",
                    sealedPrivateKey: [1],
                    at: Self.now
                )
            }
            try await database.write { connection in
                try connection.execute(
                    script: """
                        INSERT INTO provider_tokens (team_id, key_id, public_key_hash, token, issued_at)
                        SELECT 't', 'k', private_key, private_key, 0 FROM push_keys LIMIT 1
                        """
                )
            }
            func tokens() async throws -> Int {
                try await database.read { connection in
                    try connection.first("SELECT count(*) FROM provider_tokens", as: Int.self) ?? 0
                }
            }
            _ = try await stores.appDeletions.delete(Self.app, at: Self.now)
            #expect(try await tokens() == 1)
            _ = try await stores.appDeletions.delete(Self.other, at: Self.now)
            #expect(try await tokens() == 0)
        }
    }

    @Test("A step removes a bounded number of rows, and the next continues behind them", arguments: StoreKind.allCases)
    func steps(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let store = try await Stores(migrating: database, now: Self.now).appDeletions
            try await addApps(database)
            let tables = try await tables(database)
            for table in ["devices", "user_attributes", "deliveries", "events"] {
                let columns = try #require(tables[table])
                try await fill(table, columns, Self.app, rows: 2_500, database)
                try await fill(table, columns, Self.other, rows: 10, database)
            }
            _ = try await store.delete(Self.app, at: Self.now)

            let counts = try await removeAll(store)
            #expect(counts.reduce(0, +) == 10_000)
            #expect(
                counts == [1_000, 1_000, 500, 1_000, 1_000, 500, 500, 500, 500, 500, 500]
                    + Array(repeating: 200, count: 12) + [100]
            )
            for table in ["devices", "user_attributes", "deliveries", "events"] {
                #expect(try await count(table, Self.other, database) == 10)
            }
        }
    }

    @Test("Each statement of a step begins at the App's key") func plans() async throws {
        try await StoreKind.sqliteInMemory.withDatabase { database in
            _ = try await Stores(migrating: database, now: Self.now)
            let keys = try await database.read { connection in
                try AppRows.all.map { rows in
                    try connection.all(
                        "SELECT name FROM pragma_table_info($1) WHERE pk > 0 AND name <> 'app_id' ORDER BY pk LIMIT 20",
                        rows.table,
                        as: String.self
                    )
                }
            }
            #expect(keys == AppRows.all.map { $0.key.map(\.name) })
            try await database.read { connection in
                for rows in AppRows.all where !rows.key.isEmpty && rows.table != "api_keys" {
                    for isFirst in [true, false] {
                        for sql in [
                            rows.lastOfStep(isFirst: isFirst), rows.delete(isFirst: isFirst, isLast: false),
                            rows.hasRows,
                        ] {
                            let plan = try connection.plan(of: sql).joined(separator: "\n")
                            #expect(plan.contains("(app_id=?"), "\(rows.table): \(plan)")
                            #expect(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "\(rows.table): \(plan)")
                        }
                    }
                }
            }
        }
    }
}
