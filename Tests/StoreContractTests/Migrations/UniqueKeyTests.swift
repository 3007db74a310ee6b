import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// Every unique key of a table with `app_id` has `app_id`: no server has to ask another whether a key exists.
struct UniqueKeyTests {
    /// Keys without the App, of tables that lead to it; they are stored in one place.
    private static let exceptions: [(key: String, reason: String)] = [
        ("api_keys: id", "a key may be for all Apps"),
        ("api_keys: secret_hash", "leads from a key to its App"),
        ("app_secrets: key_hash", "leads from an app's key to its App"),
        ("audit_log: id", "the audit log is one chain over all Apps"),
        ("vendor_apis: key_hash,api", "leads from a vendor's key to its App"),
        ("vendor_app_codes: code_hash", "leads from a vendor's app code to its App"),
    ]

    @Test("Every unique key of a table with `app_id` contains it", arguments: StoreKind.allCases)
    func hasApp(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let keys = try await Self.keys(of: database)
            // The catalogue is read, including partitions.
            #expect(keys.count > 50)
            #expect(database.dialect == .sqlite || keys.contains("deliveries_rest: \(Self.deliveries)"))

            let without = keys.filter { key in
                !key.split(separator: ": ")[1].split(separator: ",").contains("app_id")
            }
            #expect(without == Self.exceptions.map(\.key))
        }
    }

    private static let deliveries = "app_id,occurrence_id,device_number,push_type"

    /// Keys of tables with `app_id`, including primary ones, as "table: column,column".
    private static func keys(of database: any Database) async throws -> [String] {
        let rows = try await database.read { connection in
            try connection.all(
                connection.dialect.pick(
                    sqlite: """
                        SELECT m.name, i.name, COALESCE(c.name, '?') FROM sqlite_schema m
                        JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
                        WHERE m.type = 'table' AND i."unique" = 1
                            AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) t WHERE t.name = 'app_id')
                        ORDER BY m.name, i.name, c.seqno LIMIT 100000
                        """,
                    postgreSQL: """
                        SELECT CAST(t.relname AS TEXT), CAST(c.relname AS TEXT), COALESCE(CAST(a.attname AS TEXT), '?')
                        FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class c ON c.oid = i.indexrelid
                        JOIN pg_namespace n ON n.oid = t.relnamespace
                        CROSS JOIN LATERAL unnest(CAST(i.indkey AS SMALLINT[])) WITH ORDINALITY AS k (number, place)
                        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number > 0
                        WHERE n.nspname = current_schema() AND i.indisunique AND k.place <= i.indnkeyatts AND EXISTS (
                            SELECT 1 FROM pg_attribute o WHERE o.attrelid = i.indrelid AND o.attname = 'app_id'
                                AND NOT o.attisdropped)
                        ORDER BY t.relname, c.relname, k.place LIMIT 100000
                        """
                )
            ) { (table: $0.string(0), key: $0.string(1), column: $0.string(2)) }
        }
        let keys = Dictionary(grouping: rows) { "\($0.table).\($0.key)" }.values
        return keys.map { key in "\(key[0].table): " + key.map(\.column).joined(separator: ",") }.sorted()
    }

    @Test("An id that two Apps share belongs to neither without its App", arguments: StoreKind.allCases)
    func findsNeither(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 1) { fixture in
            let (campaigns, id) = (fixture.campaigns, fixture.campaign.id)
            #expect(try await campaigns.campaign(id, within: nil)?.app == fixture.app)
            #expect(try await campaigns.campaign(id, within: AppID(rawValue: 6)) == nil)
            try await fixture.run(
                """
                INSERT INTO campaigns (app_id, id, state, audience, message, is_ad, is_test, retry_for, created_at)
                SELECT 6, id, state, audience, message, is_ad, is_test, retry_for, created_at FROM campaigns
                """
            )

            #expect(try await campaigns.campaign(id, within: fixture.app)?.app == fixture.app)
            #expect(try await campaigns.campaign(id, within: AppID(rawValue: 6))?.app == AppID(rawValue: 6))
            await #expect(throws: StoreError.failed("Two Apps have this id; ask with a key of one App.")) {
                try await campaigns.campaign(id, within: nil)
            }
        }
    }
}
