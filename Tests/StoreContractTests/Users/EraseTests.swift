import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// After an erasure no table that names Devices or Users has rows of the person, including tables added later.
@Suite struct EraseTests {
    private static let app = AppID(rawValue: 7)
    /// Columns with "device" or "user" in their name that identify nobody.
    private static let harmless: Set<String> = [
        "apps.next_device_number", "apps.tokens_per_user", "occurrences.last_device", "inbox_broadcasts.last_device",
        "chunks.after_device", "chunks.through_device",
        // Numbers in items for a webhook: those of a deleted Device identify nobody.
        "webhook_outbox.devices",
        // Hashes beside the User, and how far a run went through them, by which nobody is found.
        "content_follows.user_hash", "content_follow_keys.user_hash", "content_alert_runs.user_hash",
        // How long messages of Users are stored.
        "app_retention.user_messages",
    ]
    /// Tables where a Device is the row itself.
    private static let keyed: [String: String] = [
        "devices": "number", "former_device_numbers": "number", "deleted_devices": "number",
    ]

    private struct Column {
        var table: String
        var name: String
        var type: String
        var isRequired: Bool
    }

    /// The columns of all tables that have an App.
    private func columns(_ database: any Database) async throws -> [Column] {
        let all = try await database.read { connection in
            try connection.all(
                connection.dialect.pick(
                    sqlite: """
                        SELECT m.name, c.name, lower(c.type), c."notnull" FROM sqlite_master m, pragma_table_info(m.name) c
                        WHERE m.type = 'table' ORDER BY m.name, c.cid
                        """,
                    postgreSQL: """
                        SELECT table_name || '', column_name || '', lower(data_type), CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END
                        FROM information_schema.columns WHERE table_schema = current_schema()
                            AND table_name NOT IN (SELECT relname FROM pg_class WHERE relispartition)
                        ORDER BY table_name, ordinal_position
                        """
                )
            ) { row in
                Column(table: row.string(0), name: row.string(1), type: row.string(2), isRequired: row.int64(3) != 0)
            }
        }
        let withApp = Set(all.filter { $0.name == "app_id" }.map(\.table))
        return all.filter { withApp.contains($0.table) }
    }

    /// The value of a column in a filled row; `nil` where it does not identify the person.
    private func naming(_ column: Column) -> String? {
        guard !Self.harmless.contains("\(column.table).\(column.name)") else { return nil }
        if Self.keyed[column.table] == column.name || column.name.contains("device_number") { return "number" }
        if column.name == "public_id" { return "device" }
        if column.name.contains("user") { return "user" }
        return column.name.contains("device") ? "number" : nil
    }

    private func value(_ column: Column, _ dialect: Dialect) -> String {
        if column.name == "app_id" { return "7" }
        switch naming(column) {
        case "number": return ["former_device_numbers": "42", "deleted_devices": "43"][column.table] ?? "41"
        case "user": return "'u1'"
        case "device": return bytes("4100000000004000800000000000004a", dialect)
        default: break
        }
        if column.type.contains("text") { return "'1'" }
        if column.type.contains("blob") || column.type.contains("bytea") { return bytes("0102030405060708", dialect) }
        return "1"
    }

    private func bytes(_ text: String, _ dialect: Dialect) -> String {
        dialect == .sqlite ? "X'\(text)'" : "'\\x\(text)'"
    }

    /// Inserts a row into every table that names a Device or a User.
    private func fill(_ database: any Database) async throws -> [String: [Column]] {
        let tables = Dictionary(grouping: try await columns(database), by: \.table)
        let naming = tables.filter { $0.value.contains { self.naming($0) != nil } }
        let dialect = database.dialect
        for (table, columns) in naming.sorted(by: { $0.key < $1.key }) {
            let filled = columns.filter { $0.isRequired || self.naming($0) != nil }
            let names = filled.map(\.name).joined(separator: ", ")
            let values = filled.map { value($0, dialect) }.joined(separator: ", ")
            try await database.write { connection in
                try connection.execute(script: "INSERT INTO \(table) (\(names)) VALUES (\(values))")
            }
        }
        return naming
    }

    private func prepare(_ database: any Database) async throws -> Stores {
        let stores = try await Stores(migrating: database, now: Timestamp(rawValue: 1))
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                    VALUES (7, 'Shop', 'com.example.shop', 'open', 0, 100);
                    INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk)
                    VALUES (7, 1, 1, 100, 0, 0, 1);
                    INSERT INTO tags (app_id, id, name, created_at, number) VALUES (7, 'aaaaaaaa', 'vip', 0, 1);
                    INSERT INTO category_labels (app_id, number, is_defined, created_at, dimension, label)
                    VALUES (7, 1, 1, 0, '', '1');
                    """
            )
        }
        return stores
    }

    /// Tables that still name the person.
    private func traces(_ database: any Database, _ tables: [String: [Column]]) async throws -> [String] {
        var found: [String] = []
        for (table, columns) in tables {
            let names = columns.filter { naming($0) != nil }.map { column in
                "\(column.name) = \(value(column, database.dialect))"
            }
            // Statements are literals; a script may be composed, and reports a match by a row.
            let condition = names.joined(separator: " OR ")
            let isThere = try await database.write { connection in
                try connection.execute(
                    script: """
                        DELETE FROM schema_migrations WHERE name = 'trace';
                        INSERT INTO schema_migrations (name, applied_at)
                        SELECT 'trace', 0 WHERE EXISTS (SELECT 1 FROM \(table) WHERE app_id = 7 AND (\(condition)))
                        """
                )
                return try connection.run("DELETE FROM schema_migrations WHERE name = 'trace'") > 0
            }
            if isThere { found.append(table) }
        }
        return found.sorted()
    }

    @Test("T-33 erasing a User reaches every table that names a Device or a User", arguments: StoreKind.allCases)
    func reachesEveryTable(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await prepare(database)
            let tables = try await fill(database)
            #expect(tables.count >= 14)
            #expect(try await traces(database, tables).count == tables.count)
            let user = try #require(UserID(rawValue: "u1"))

            try await erase(user, stores)

            let left = try await traces(database, tables)
            #expect(left == [])
            #expect(try await stores.users.hasTraces(of: user, app: Self.app) == false)
        }
    }

    @Test("An interrupted erasure continues from any step", arguments: StoreKind.allCases)
    func goesOn(_ kind: StoreKind) async throws {
        for steps in 0..<3 {
            try await kind.withDatabase { database in
                let stores = try await prepare(database)
                let tables = try await fill(database)
                let user = try #require(UserID(rawValue: "u1"))
                let now = Timestamp(rawValue: 5)
                if steps > 0 { _ = try await stores.users.removeSomeDevices(of: user, app: Self.app, at: now) }
                let erasure = try await stores.users.beginErasure(of: user, app: Self.app, at: now)
                if steps > 1 { _ = try await stores.users.eraseDeliveries(for: erasure, after: nil) }

                #expect(try await stores.users.hasTraces(of: user, app: Self.app))
                try await erase(user, stores)

                let left = try await traces(database, tables)
                #expect(left == [])
            }
        }
    }

    @Test("Erasing one User leaves others", arguments: StoreKind.allCases)
    func leavesOthers(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await prepare(database)
            let tables = try await fill(database)

            try await erase(try #require(UserID(rawValue: "u2")), stores)

            #expect(try await traces(database, tables).count == tables.count)
        }
    }

    private func erase(_ user: UserID, _ stores: Stores) async throws {
        let now = Timestamp(rawValue: 5)
        let erasure = try await stores.users.beginErasure(of: user, app: Self.app, at: now)
        while try await stores.users.removeSomeDevices(of: user, app: Self.app, at: now) {}
        var campaign: CampaignID?
        repeat {
            campaign = try await stores.users.redactCampaigns(for: erasure, after: campaign, at: now)
        } while campaign != nil
        var last: OccurrenceID?
        repeat {
            last = try await stores.users.eraseDeliveries(for: erasure, after: last)
        } while last != nil
        #expect(try await stores.users.eraseRest(of: erasure))
    }
}
