import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// Every statement on tables with `app_id` restricts each of them to an App, so that Apps can be stored on several
/// servers; docs/postgresql.md lists the exceptions too.
struct RoutingTests {
    /// Statements over all Apps, by their beginning.
    static let exceptions: [(beginning: String, reason: String)] = [
        // Ids and keys without an App, which lead to it.
        ("SELECT app_id FROM audiences WHERE id = $1", "leads from an id to its App"),
        ("SELECT app_id FROM campaigns WHERE id = $1", "leads from an id to its App"),
        ("SELECT app_id FROM statistics_ids WHERE id = $1", "leads from an id to its App"),
        ("SELECT app_id FROM templates WHERE id = $1", "leads from an id to its App"),
        ("SELECT app_id FROM webhooks WHERE id = $1", "leads from an id to its App"),
        ("SELECT app_id FROM app_secrets WHERE key_hash = $1", "leads from an app's key to its App"),
        ("SELECT app_id, api, key_hash, secret_hash, updated_at FROM vendor_apis WHERE key_hash", "leads to its App"),
        ("SELECT app_id FROM vendor_app_codes WHERE code_hash = $1", "leads from an app code to its App"),
        ("SELECT id, app_id, name, scopes, created_at, expires_at, recipients_per", "a key may be for all Apps"),
        ("SELECT sent_recipients FROM api_keys WHERE id = $1", "a key may be for all Apps"),
        ("UPDATE api_keys SET sent_recipients = $1", "a key may be for all Apps"),
        ("UPDATE api_keys SET last_used_at = $1", "a key may be for all Apps"),
        ("DELETE FROM api_keys WHERE id = $1", "a key may be for all Apps"),
        ("SELECT id FROM api_keys LIMIT 1", "whether there is any key"),
        ("SELECT id FROM api_keys WHERE app_id IS NULL", "keys of the server, which has no App"),
        ("SELECT app_id FROM api_keys WHERE id = $1", "leads from an id to its App"),
        ("SELECT operator_id, app_id, role FROM operator_roles", "an Operator has roles in several Apps"),
        ("SELECT app_id, role FROM operator_roles WHERE operator_id", "an Operator has roles in several Apps"),
        ("DELETE FROM operator_roles WHERE operator_id", "an Operator has roles in several Apps"),
        // The audit log is one chain over all Apps.
        ("SELECT id, hash FROM audit_log", "the end of the chain"),
        ("SELECT previous_hash FROM audit_log", "the beginning of the chain"),
        ("SELECT id, at, actor, address, action, app_id, object, status, previous_hash, hash", "a list over all Apps"),
        ("SELECT id, at FROM audit_log ORDER BY id LIMIT $1", "the beginning of the chain"),
        ("DELETE FROM audit_log WHERE id <= $1", "old rows of all Apps, some a step"),
        // Lists of operators with a key for all Apps.
        ("SELECT a.id, a.name, a.bundle_id, a.identity, a.dialect, a.ad_rule", "a list of Apps"),
        ("SELECT app_id, kind, ends_at FROM former_app_secrets", "a list of Apps"),
        ("SELECT app_id, id, name, state, alarm, audience, message, is_ad", "a list over all Apps"),
        (
            "SELECT app_id, id, name, rule, created_at, changed_at, counted, counted_at FROM audiences WHERE id > $1",
            "a list over all Apps"
        ),
        ("SELECT app_id, id, name, description, starts_at", "a list over all Apps"),
        ("SELECT app_id, id, url, topics, is_active", "a list over all Apps"),
        ("SELECT count(*) FROM ( SELECT 1 FROM campaigns WHERE alarm", "how many Campaigns of all Apps are halted"),
        // The version's App is added behind it.
        ("SELECT r.number, r.document FROM content_rows r WHERE", "a composed statement, which goes on with the App"),
        ("SELECT count(*) FROM content_rows r WHERE", "a composed statement, which goes on with the App"),
        ("SELECT r.number, r.latitude, r.longitude FROM content_places", "a composed statement, as those above"),
        // The work of all Apps.
        ("SELECT app_id, id, next_at FROM campaigns", "Campaigns that are due"),
        ("SELECT next_at FROM campaigns", "when the next Campaign is due"),
        ("SELECT wake_at FROM waves", "when the next Wave is due"),
        ("SELECT free_at FROM chunks", "when the next Chunk is free"),
        ("SELECT k.app_id, k.occurrence_id, k.chunk", "Chunks that are free, and those that somebody has"),
        ("SELECT w.app_id, w.campaign_id, w.occurrence_id, w.wave", "Waves that are due"),
        ("WITH RECURSIVE passed (app_id, place)", "Apps that have Waves, from a cursor"),
        ("DELETE FROM dispatcher_sessions WHERE seen_at < $1", "whether a dispatcher that died idle has Chunks"),
        ("SELECT w.app_id, w.id, w.fence, w.is_held", "webhooks that are due"),
        ("SELECT app_id, user_id, after_occurrence, after_campaign, requested_at FROM", "erasures that go on"),
        ("SELECT app_id, set_name, name, is_realtime, is_failing FROM", "sources of content sets that are due"),
        ("SELECT app_id, slot, set_name, table_name, number, user_hash", "new rows that are to be told"),
        ("SELECT app_id, set_name, table_name, due_at FROM content_bundles", "bundles that are due"),
        ("SELECT count(*) FROM (SELECT 1 FROM content_sources", "how many sources of all Apps fail"),
        ("SELECT app_id FROM push_keys WHERE app_id > $1", "push keys that are to be checked, some a step"),
        // What the nodes do, for all Apps.
        ("SELECT COUNT(*) FROM (SELECT 1 FROM chunks WHERE owner", "Chunks that are leased, and those that are free"),
        ("SELECT COUNT(*) FROM (SELECT 1 FROM waves WHERE wake_at", "Waves that are due"),
        ("SELECT app_id, occurrence_id, retry_at FROM waves", "Waves that are due again soon"),
        ("SELECT s.process, COUNT(*) FROM dispatcher_sessions", "how many Chunks each node has"),
        // Maintenance, an import into an empty store, a restore and `carillon doctor`.
        ("SELECT app_id, at, device_number, push_type FROM invalid_tokens", "old rows of all Apps, some a step"),
        ("SELECT app_id, list_id FROM unused_recipient_lists", "lists without a Campaign, one a step"),
        ("SELECT app_id, rules FROM account_rules WHERE app_id > $1", "Apps with accounts, some a step"),
        ("DELETE FROM provider_tokens WHERE team_id = $1", "whether another App has a deleted one's push key"),
        ("SELECT 1 FROM waves w WHERE w.occurrence_id >= $1", "whether a week may be dropped"),
        ("SELECT app_id, first_number FROM import_windows", "imports that were cut off"),
        ("SELECT 1 FROM devices UNION ALL SELECT 1 FROM removed_tokens LIMIT 1", "whether the store is empty"),
        ("DELETE FROM removed_tokens WHERE removed_at < $1", "notes that are old, of all Apps"),
        ("UPDATE campaigns SET state = 'draft', next_at = NULL", "what was held since a backup"),
        ("SELECT c.app_id, c.id, c.name, c.next_at FROM campaigns c", "what was due since a backup"),
        ("SELECT 1 FROM user_erasures LIMIT 1", "the doctor asks whether there are any"),
        ("SELECT count(*) FROM (SELECT 1 FROM user_erasures", "the doctor asks whether there are any"),
        ("SELECT 1 FROM api_keys WHERE app_id IS NULL", "keys of the server, which has no App"),
        ("SELECT id FROM api_keys WHERE sealed_secret IS NOT NULL", "the first key, which has no App"),
        ("SELECT id, has_devices, has_campaigns", "the doctor asks about all Apps"),
        ("SELECT app_id, id, alarm FROM campaigns", "the doctor asks about all Apps"),
        ("SELECT app_id, id, is_active, alarm, failing_since FROM webhooks", "the doctor asks about all Apps"),
        ("SELECT id FROM campaigns ORDER BY id DESC", "the doctor asks for the newest of all Apps"),
        ("SELECT at FROM audit_log ORDER BY id DESC", "the doctor asks for the newest of all Apps"),
        ("SELECT w.app_id, w.campaign_id, CASE WHEN", "the doctor asks about all Apps"),
        ("SELECT k.app_id, k.campaign_id,", "the doctor asks about all Apps"),
        ("SELECT a.id, COALESCE(r.deliveries, 90)", "the doctor asks about all Apps"),
        ("SELECT (SELECT count(*) FROM (SELECT 1 FROM webhook_messages", "the metrics count those of all Apps"),
        // The rotation of the master key goes through all Apps.
        ("SELECT app_id, identity_secret FROM app_secrets", "sealed values of all Apps, some a step"),
        ("SELECT app_id, receipt_key FROM app_secrets", "sealed values of all Apps, some a step"),
        ("SELECT app_id, private_key FROM push_key_candidates", "sealed values of all Apps, some a step"),
        ("SELECT app_id, private_key FROM push_keys", "sealed values of all Apps, some a step"),
        ("SELECT app_id, secret FROM user_message_rules", "sealed values of all Apps, some a step"),
        ("SELECT app_id, set_name, name, secret FROM content_sources", "sealed values of all Apps, some a step"),
        ("SELECT app_id, id, secret FROM webhooks", "sealed values of all Apps, some a step"),
        ("SELECT app_id, id, former_secret FROM webhooks", "sealed values of all Apps, some a step"),
        ("SELECT app_id, kind, number, sealed FROM former_app_secrets", "sealed values of all Apps, some a step"),
        ("SELECT id, sealed_secret FROM api_keys", "sealed values of all Apps, some a step"),
        ("UPDATE api_keys SET sealed_secret = $1", "a key may be for all Apps"),
    ]

    @Test("Every statement in the sources names the App of its rows")
    func isRouted() async throws {
        let routing = try await StatementRouting()
        #expect(routing.tables.count > 40)
        let statements = try SourceStatements.all()
        // The scan does find statements, including those that name columns by an enum.
        #expect(statements.count > 400)
        #expect(statements.contains { $0.text.hasPrefix("SELECT number, secret_hash, user_id, consent,") })
        #expect(statements.contains { $0.text.hasPrefix("UPDATE devices SET number = $1, secret_hash = $2,") })
        #expect(statements.contains { $0.text.contains(", w.cursor, o.last_device, w.is_read, o.state, ") })

        var used: Set<String> = []
        for statement in statements {
            let tables = routing.unrouted(statement.text)
            guard !tables.isEmpty else { continue }
            let exception = Self.exceptions.first { statement.text.hasPrefix($0.beginning) }
            if let exception { used.insert(exception.beginning) }
            #expect(exception != nil, "\(tables) in \(statement.file): \(statement.text)")
        }
        // An unused exception is an error.
        #expect(Self.exceptions.map(\.beginning).filter { !used.contains($0) } == [])
    }

    @Test("Composed statements name it too", arguments: StoreKind.allCases)
    func composesRouted(_ kind: StoreKind) async throws {
        let routing = try await StatementRouting()
        try await kind.withRecordedDatabase { database, recorder in
            var fixture = try await DeliveryFixture(database, devices: 3)
            let rules = ["tag:\"a\" and not tag:\"b\"", "language = en"]
            recorder.reset()
            for rule in rules {
                fixture.facts.audience = .rule(try AudienceRule(text: rule))
                _ = try await fixture.store.read(try await fixture.wave(), of: fixture.facts, limit: 10)
            }
            fixture.facts.audience = .all
            let lease = try await fixture.lease(limit: 2)
            _ = try await fixture.store.commit(fixture.commit(lease, accepted: 1...2))
            let recorded = recorder.statements.map { record in
                record.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            #expect(recorded.count > 10)
            for text in recorded where !Self.exceptions.contains(where: { text.hasPrefix($0.beginning) }) {
                #expect(routing.unrouted(text) == [], "\(text)")
            }
        }
    }

    @Test(
        "The test distinguishes routed statements",
        arguments: [
            ("SELECT state FROM occurrences WHERE app_id = $1 AND id = $2", []),
            ("SELECT state FROM occurrences WHERE id = $1", ["occurrences"]),
            ("SELECT state FROM occurrences WHERE id = $1 OR app_id = $2", ["occurrences"]),
            ("SELECT state FROM occurrences WHERE id = $1 AND (app_id = $2 OR $2 < 0)", ["occurrences"]),
            ("SELECT state FROM occurrences WHERE app_id = $1 AND (id = $2 OR id = $3)", []),
            ("SELECT 1 FROM waves w JOIN occurrences o ON o.app_id = w.app_id WHERE w.app_id = $1", ["occurrences"]),
            ("SELECT 1 FROM waves w JOIN occurrences o ON o.app_id = $1 WHERE w.app_id = $1", []),
            ("SELECT 1 FROM waves w, occurrences o WHERE w.app_id = $1 AND o.id = w.wave", ["occurrences"]),
            ("UPDATE waves SET cursor = 1 WHERE wave = $1", ["waves"]),
            (
                "DELETE FROM waves WHERE app_id = $1 AND EXISTS (SELECT 1 FROM chunks c WHERE c.app_id = waves.app_id)",
                ["chunks"]
            ),
            ("SELECT wave FROM waves WHERE app_id = $1 UNION ALL SELECT wave FROM waves", ["waves"]),
            ("INSERT INTO waves (wave, app_id) VALUES ($1, $2)", []),
            ("INSERT INTO waves (wave, app_id) VALUES ($1, 7)", ["waves"]),
            ("INSERT INTO waves (wave) VALUES ($1)", ["waves"]),
            ("INSERT INTO waves (app_id, wave) SELECT app_id, 1 FROM chunks WHERE app_id = $1", []),
            ("INSERT INTO waves (app_id, wave) SELECT app_id, 1 FROM chunks", ["chunks", "waves"]),
        ] as [(String, [String])]
    )
    func tellsApart(_ text: String, _ unrouted: [String]) async throws {
        #expect(try await StatementRouting().unrouted(text) == unrouted, "\(text)")
    }
}
