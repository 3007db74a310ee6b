import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// Deletion of Apps, on both databases.
@Suite(.timeLimit(.minutes(5))) struct AppDeletionStoreTests {
    private static let app = AppID(rawValue: 7)
    private static let other = AppID(rawValue: 8)
    private static let now = Timestamp(rawValue: 1_700_000_000_000)
    /// Tables that keep an App's rows.
    private static let kept: Set<String> = ["audit_log"]

    private struct Column {
        var table: String
        var name: String
        var type: String
        var isRequired: Bool
    }

    /// The columns of all tables that have an App, without partitions.
    private func tables(_ database: any Database) async throws -> [String: [Column]] {
        let all = try await database.read { connection in
            try connection.all(
                connection.dialect.pick(
                    sqlite: """
                        SELECT m.name, c.name, lower(c.type), c."notnull" FROM sqlite_master m, pragma_table_info(m.name) c
                        WHERE m.type = 'table' ORDER BY m.name, c.cid LIMIT 10000
                        """,
                    postgreSQL: """
                        SELECT table_name || '', column_name || '', lower(data_type), CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END
                        FROM information_schema.columns WHERE table_schema = current_schema()
                            AND table_name NOT IN (SELECT relname FROM pg_class WHERE relispartition)
                        ORDER BY table_name, ordinal_position LIMIT 10000
                        """
                )
            ) { row in
                Column(table: row.string(0), name: row.string(1), type: row.string(2), isRequired: row.int64(3) != 0)
            }
        }
        let byTable = Dictionary(grouping: all, by: \.table)
        return byTable.filter { $0.value.contains { $0.name == "app_id" } }
    }

    /// How many rows of an App a test gives a table.
    private func rowCount(_ table: String) -> Int {
        AppRows.all.first { $0.table == table }?.key.isEmpty == true ? 1 : 3
    }

    /// Inserts rows of an App, each with another number in all columns of its key.
    private func fill(
        _ table: String,
        _ columns: [Column],
        _ app: AppID,
        rows: Int? = nil,
        _ database: any Database
    ) async throws {
        let (isSQLite, rows) = (database.dialect == .sqlite, rows ?? rowCount(table))
        let names = columns.filter { $0.isRequired || $0.name == "app_id" }
        let values = names.map { column in
            if column.name == "app_id" { return "\(app.rawValue)" }
            let number = column.name == "id" || column.name == "owner" ? "n + 100000 * \(app.rawValue)" : "n"
            if column.type.contains("text") { return "CAST(\(number) AS TEXT)" }
            guard column.type.contains("blob") || column.type.contains("bytea") else { return number }
            let text = "CAST(n + 100000 * \(app.rawValue) AS TEXT)"
            return isSQLite ? "CAST(\(text) AS BLOB)" : "CAST(\(text) AS BYTEA)"
        }
        let series =
            isSQLite
            ? "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < \(rows)) SELECT n FROM s) AS s"
            : "generate_series(1, \(rows)) AS n"
        let list = names.map(\.name).joined(separator: ", ")
        try await database.write { connection in
            try connection.execute(
                script: "INSERT INTO \(table) (\(list)) SELECT \(values.joined(separator: ", ")) FROM \(series)"
            )
        }
    }

    private func addApps(_ database: any Database) async throws {
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                    VALUES (7, 'a', 'a', 'open', 0, 1), (8, 'b', 'b', 'open', 0, 1);
                    """
            )
        }
    }

    private func count(_ table: String, _ app: AppID, _ database: any Database) async throws -> Int {
        try await database.read { connection in
            let statement = try connection.prepare(
                ComposedSQL(ofOurs: "SELECT count(*) FROM \(table) WHERE app_id = \(app.rawValue)")
            )
            defer { statement.reset() }
            return try statement.next() ? Int(statement.int64(0)) : 0
        }
    }

    /// Removes all rows that may be removed.
    private func removeAll(_ store: any AppDeletionStore, onlyWork: Bool = false) async throws -> [Int] {
        var (counts, position): ([Int], AppRowsPosition?) = ([], .start)
        while let place = position {
            let step = try await store.removeSome(of: Self.app, after: place, onlyWork: onlyWork)
            if step.count > 0 { counts.append(step.count) }
            position = step.next
        }
        return counts
    }

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

    @Test("Nothing of a deleted App is leased, and no commit of what was leased is kept", arguments: StoreKind.allCases)
    func work(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            let deletions = AppDeletionRepository(database: fixture.database)
            let lease = try await fixture.lease(limit: 1)
            let wave = try await fixture.wave()
            let reading = try await fixture.read(wave, limit: 1)

            #expect(try await deletions.delete(fixture.app, at: fixture.now) == [fixture.campaign.id])

            let overview = try await fixture.overview(at: fixture.later)
            #expect(overview.waves.isEmpty && overview.chunks.isEmpty && overview.dueCampaigns.isEmpty)
            #expect(try await fixture.store.wave(wave, at: fixture.later) == nil)
            #expect(try await fixture.lease(reading, of: wave) == nil)
            #expect(try await fixture.store.facts(of: fixture.facts.occurrence, app: fixture.app) == nil)

            _ = try await removeAll(deletions, onlyWork: true)
            let answer = try await fixture.store.commit(fixture.commit(lease, accepted: 1...1))
            #expect(answer == .refused)
            #expect(try await count("deliveries", fixture.app, fixture.database) == 0)
        }
    }

    @Test("What belongs to a deleted App is not found by its id or in lists of all", arguments: StoreKind.allCases)
    func lookUps(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 1) { fixture in
            let stores = Stores(on: fixture.database)
            let columns = try await tables(fixture.database)
            for table in ["audiences", "statistics_ids"] {
                try await fill(table, try #require(columns[table]), fixture.app, rows: 1, fixture.database)
            }
            let key = StatisticsID(rawValue: 700_001)
            #expect(try await stores.statistics.key(key, within: nil) != nil)
            _ = try await stores.appDeletions.delete(fixture.app, at: fixture.now)

            #expect(try await stores.campaigns.campaign(fixture.campaign.id, within: nil) == nil)
            #expect(try await stores.campaigns.list(app: nil, after: nil, limit: 10).isEmpty)
            #expect(try await stores.audiences.audiences(app: nil, after: nil, limit: 10).isEmpty)
            #expect(try await stores.statistics.key(key, within: nil) == nil)
            #expect(try await stores.statistics.keys(app: nil, after: nil, limit: 10).isEmpty)
            #expect(try await stores.apps.app(fixture.app) == nil)
            #expect(try await stores.apps.apps(after: nil, limit: 10).isEmpty)
        }
    }

    @Test(
        "No App gets the id of a deleted one, and its deletion is listed until a day after its end",
        arguments: StoreKind.allCases
    )
    func mark(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: Self.now)
            try await addApps(database)
            let store = stores.appDeletions
            #expect(try await !store.isDeleted(Self.app))
            _ = try await store.delete(Self.app, at: Self.now)
            #expect(try await store.isDeleted(Self.app))
            #expect(try await !store.isDeleted(Self.other))

            let secrets = SealedAppSecrets(keyHash: SecretHash(of: "7"), identitySecret: [1], receiptKey: [2])
            let again = App(id: Self.app, request: AppRequest(name: "x", bundleID: "x"), createdAt: Self.now)
            await #expect(throws: StoreError.self) {
                try await stores.apps.insert(StoredApp(app: again, secrets: secrets))
            }

            let end = Self.now.advanced(by: .seconds(90))
            try await store.finish(Self.app, at: end)
            try await store.finish(Self.app, at: end.advanced(by: .seconds(1)))
            let deletion = AppDeletion(app: Self.app, deletedAt: Self.now, finishedAt: end)
            #expect(try await store.deletions(finishedAfter: Self.now, limit: 10) == [deletion])
            #expect(try await store.deletions(finishedAfter: end, limit: 10).isEmpty)
            #expect(try await store.isDeleted(Self.app))
        }
    }
}
