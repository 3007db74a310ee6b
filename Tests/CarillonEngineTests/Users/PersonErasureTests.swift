import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import TestStores
import Testing

/// After an erasure no column of the database has data of the person.
@Suite(.timeLimit(.minutes(5)))
struct PersonErasureTests {
    /// Columns of texts and bytes without data of a person, by reason; all others must be filled.
    static let impersonal: [String: [String]] = [
        "An operator's or the App's own settings": [
            "apps.ad_position", "apps.ad_rule", "apps.bundle_id", "apps.dialect", "apps.identity", "apps.name",
            "apps.sending_rules", "apps.tokens_per_user", "user_message_rules.rules",
            "account_rules.rules", "vendor_app_codes.settings", "push_keys.key_id",
            "push_keys.team_id", "push_keys.file_key_id", "push_key_candidates.key_id",
            "push_key_candidates.team_id", "push_key_candidates.file_key_id", "provider_tokens.key_id",
            "provider_tokens.team_id", "webhooks.url", "tags.created_by",
        ],
        "How many Devices an Audience had": ["audiences.counted"],
        "A secret of the App's, of a key's or of the server's, or a hash of one": [
            "app_secrets.identity_secret", "app_secrets.key_hash", "app_secrets.receipt_key",
            "api_keys.sealed_secret", "api_keys.secret_hash", "push_keys.private_key",
            "push_key_candidates.private_key", "test_pairings.code_hash",
            "provider_tokens.public_key_hash", "provider_tokens.token", "master_key_checks.sealed",
            "user_message_rules.secret", "webhooks.former_secret", "webhooks.secret", "audit_keys.sealed",
            "former_app_secrets.key_hash", "former_app_secrets.kind", "former_app_secrets.sealed",
            "vendor_apis.api", "vendor_apis.key_hash", "vendor_apis.secret_hash",
            "vendor_app_codes.code_hash",
            "content_sources.secret",
        ],
        "A hash of the Device's secret; the row goes with the Device": [
            "devices.secret_hash"
        ],
        "A part of a token's hash, by which nobody is found or reached; an import does not bring the token back": [
            "removed_tokens.token_hash"
        ],
        "A hash of the account's password or token; the row goes with the account": [
            "accounts.activation_hash", "accounts.password", "account_tokens.token_hash",
        ],
        "A keyed hash of a name or an address, for some hours": [
            "sign_in_attempts.subject"
        ],
        "An operator's words or ids": [
            "api_keys.name", "api_keys.scopes", "audiences.name", "category_labels.title",
            "test_devices.name", "test_devices.owner_name", "test_pairings.name", "test_pairings.owner_name",
            "push_keys.added_by", "push_key_candidates.added_by", "apps.sending_paused_by", "campaigns.guards",
            "statistics_ids.description", "statistics_ids.name", "tags.id", "tags.name", "templates.message",
            "templates.name",
        ],
        "The App's own words for buttons; totals stay": [
            "action_counts.action", "events.action", "webhook_outbox.action",
        ],
        "Numbers of tags": [
            "devices.tags", "user_tags.tags",
        ],
        "Numbers of Devices, which lead to nobody": [
            "webhook_outbox.devices"
        ],
        "Times and states, in our words": [
            "campaigns.alarm", "campaigns.state", "campaigns.timing", "occurrences.state", "waves.filter",
            "webhooks.alarm", "webhook_messages.last_error",
        ],
        "The push service's words": [
            "delivery_reasons.reason", "invalid_tokens.reason", "push_keys.last_check",
            "push_key_candidates.last_check",
        ],
        "The caller's name for a request, an operator's, for a day; the fingerprint is a hash": [
            "idempotency_keys.content_type", "idempotency_keys.fingerprint", "idempotency_keys.idempotency_key",
            "idempotency_keys.location", "idempotency_keys.principal",
        ],
        "Names Users and Devices by a keyed hash, and operators": [
            "audit_log.action", "audit_log.actor", "audit_log.address", "audit_log.change", "audit_log.hash",
            "audit_log.object", "audit_log.previous_hash",
        ],
        "Operators, who are no Users of an App": [
            "operator_attempts.subject", "operator_identities.account_hash", "operator_identities.issuer",
            "operator_identities.subject", "operator_passkeys.credential_id", "operator_passkeys.name",
            "operator_passkeys.party", "operator_passkeys.public_key", "operator_used_challenges.challenge_hash",
            "operator_links.secret_hash", "operator_recovery_codes.code_hash",
            "operator_sessions.address", "operator_sessions.client", "operator_sessions.value_hash",
            "operators.address", "operators.address_key", "operators.display_name", "operators.language",
            "operators.password", "operators.second_factor", "operators.zone",
        ],
        "Public data of an App, without Users": [
            "content_alert_runs.set_name", "content_alert_runs.table_name", "content_alerts.settings",
            "content_alerts.set_name", "content_alerts.state", "content_alerts.table_name", "content_announced.name",
            "content_announced.set_name", "content_announced.table_name", "content_bundles.set_name",
            "content_bundles.table_name", "content_follow_keys.set_name", "content_follow_keys.table_name",
            "content_follows.audience", "content_follows.set_name", "content_follows.table_name",
            "content_bundles.name",
            "content_feeds.body", "content_feeds.format", "content_feeds.name", "content_feeds.set_name",
            "content_sources.name", "content_sources.set_name", "content_sources.settings", "content_sources.state",
            "content_rows.document", "content_rows.name", "content_runs.report", "content_runs.set_name",
            "content_sets.definition", "content_sets.name", "content_terms.term", "content_versions.definition",
            "content_versions.set_name", "content_versions.table_name", "content_attachments.row_name",
            "content_attachments.set_name", "content_attachments.table_name",
        ],
        "What kind of file it is; the row goes with the account": [
            "content_attachments.media_type"
        ],
        "What the back end answered to a webhook, the last attempts": [
            "webhook_attempts.body", "webhook_attempts.error",
        ],
        "The schema and the nodes": [
            "node_claims.name", "schema_migrations.name",
        ],
    ]

    /// What nodes report, and an Operator's id; a file has no such table.
    private static let nodes = ["nodes.facts", "nodes.quiet_by"]

    private func search(_ person: MarkedPerson) async throws -> Set<String> {
        let devices = [MarkedPerson.phone, MarkedPerson.tablet, MarkedPerson.deleted].map { device in
            withUnsafeBytes(of: device.rawValue.uuid) { Array($0) }
        }
        return try await StoreSearch(database: person.world.database)
            .columns(with: MarkedPerson.mark, bytes: devices + [MarkedPerson.tokens])
    }

    private func erase(_ person: MarkedPerson) async throws {
        try await person.users.erase(MarkedPerson.user, app: person.world.app)
        while try await person.users.continueErasures() {}
    }

    @Test("S1-M5 after an erasure no column of the store has data of the person")
    func leavesNothing() async throws {
        let person = MarkedPerson(try await DeliveryWorld())
        let campaign = try await person.fill()
        let filled = try await search(person)
        let all = Set(
            try await StoreSearch(database: person.world.database).columns().map { "\($0.table).\($0.column)" }
        )
        // A new column must be filled with data of the person, or be listed with a reason.
        let impersonal = Array(Self.impersonal.values.joined()) + (TestPlace.isPostgreSQL ? Self.nodes : [])
        #expect(all.subtracting(filled).symmetricDifference(impersonal) == [])
        let before = try await person.world.funnel(campaign.id)

        try await erase(person)

        #expect(try await search(person) == [])
        var after = try await person.world.funnel(campaign.id)
        after.retrying = before.retrying
        #expect(after == before)
        #expect(
            try await person.world.campaigns.campaign(campaign.id, within: nil).audience == .users([MarkedPerson.other])
        )
        #expect(try await person.world.count("SELECT count(*) FROM devices") == 1)
        await #expect(throws: EngineError.notFound(.user)) {
            try await person.users.erase(MarkedPerson.user, app: person.world.app)
        }
    }

    @Test("S1-M5 an export has all data of a person, including deleted Devices")
    func exportsEverything() async throws {
        let person = MarkedPerson(try await DeliveryWorld())
        _ = try await person.fill()

        var export = try await person.users.export(MarkedPerson.user, app: person.world.app)
        var text = ""
        while let part = try await export.next() { text += String(decoding: part, as: UTF8.self) }

        let lines = text.split(separator: "\n").map(String.init)
        let kinds = Set(
            try lines.map { try JSONDecoder().decode([String: JSONValue].self, from: Data($0.utf8))["kind"] }
        )
        #expect(kinds == Set(UserExportLine.Kind.allCases.map { .string($0.rawValue) }))
        for marked in MarkedPerson.texts { #expect(text.contains(marked), "\(marked)") }
        let tokens = String(repeating: "a7", count: 16)
        #expect(text.contains(tokens + "01010101") && text.contains(tokens + "05050505"))
        #expect(text.contains(tokens + "09090909"))
        for device in [MarkedPerson.phone, MarkedPerson.tablet, MarkedPerson.deleted] {
            #expect(text.contains("\"device\":\"\(device)\""))
        }
        #expect(text.contains("\"device\":\"\(MarkedPerson.deleted)\",\"kind\":\"formerDevice\""))
        await #expect(throws: EngineError.notFound(.user)) {
            _ = try await person.users.export(#require(UserID(rawValue: "nobody")), app: person.world.app)
        }
    }

    @Test("S1-M5 events of an erased Device count, but their texts and positions are not stored")
    func keepsNoLateWords() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2) { .init(user: "user-\($0)") }
        let campaign = try await world.send(world.request())
        let users = Users(store: world.stores.users, apps: world.apps, clock: world.time)
        try await users.erase(try #require(UserID(rawValue: "user-1")), app: world.app)

        for device in 1...2 {
            try await world.report(.action, of: campaign, device: device, action: "buy", reply: "words")
        }

        #expect(try await world.count("SELECT count(*) FROM events") == 2)
        #expect(try await world.count("SELECT count(*) FROM events WHERE reply IS NOT NULL") == 1)
        let funnel = try await world.funnel(campaign.id)
        #expect(funnel.actions == 2 && funnel.replies == 2)
    }

    @Test("S1-M5 lists of complete Campaigns are deleted after their days; totals and other Campaigns stay")
    func dropsLists() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3) { .init(user: "user-\($0)") }
        let people = (1...3).compactMap { UserID(rawValue: "user-\($0)") }
        let many = try await world.send(world.request(.users(people), DeliveryWorld.message("to many")))
        let one = try await world.send(world.request(.devices([DeliveryWorld.id(1)]), DeliveryWorld.message("to one")))
        var later = world.request(.users(people))
        later.sendAt = (world.time.now() as Timestamp).advanced(by: .seconds(86_400 * 50))
        let waiting = try await world.campaigns.create(app: world.app, later)
        var days = RetentionDays()
        days.lists = 7
        let retention = retention(world)
        _ = try await retention.setDays(days, of: world.app)
        world.time.advance(by: .seconds(86_400 * 6))
        #expect(await retention.round())
        #expect(try await world.campaigns.campaign(many.id, within: nil).audience == .users(people))

        world.time.advance(by: .seconds(86_400 * 2))
        #expect(await retention.round())

        let stripped = try await world.campaigns.campaign(many.id, within: nil)
        #expect(stripped.audience == .redacted && stripped.message.content[Message.defaultLanguage]?.body == "to many")
        let personal = try await world.campaigns.campaign(one.id, within: nil)
        #expect(personal.audience == .redacted && personal.message == .redacted)
        #expect(try await world.campaigns.campaign(waiting.id, within: nil).audience == .users(people))
        #expect(try await world.funnel(many.id).accepted == 3)
        // A Campaign shown like this cannot be sent like this.
        await #expect(throws: EngineError.self) {
            try await world.campaigns.create(app: world.app, world.request(.redacted))
        }
    }

    @Test("S1-M5 the User of a deleted Device is forgotten when no rows use its number")
    func forgetsDeletedDevices() async throws {
        let world = try await DeliveryWorld()
        let app = world.app
        let start: Timestamp = world.time.now()
        _ = try await world.database.write { connection in
            for number in 1...5 {
                try connection.run(
                    """
                    INSERT INTO deleted_devices (app_id, number, user_id, public_id, deleted_at)
                    VALUES ($1, $2, 'user', $3, $4)
                    """,
                    app,
                    number,
                    DeliveryWorld.id(number),
                    number == 3 ? start.advanced(by: .seconds(86_400 * 100)) : start
                )
            }
        }
        let retention = retention(world)
        var days = RetentionDays()
        (days.deliveries, days.events, days.inbox, days.campaigns) = (20, 20, 20, 20)
        (days.lists, days.userMessages) = (20, 60)
        _ = try await retention.setDays(days, of: app)
        let count: SQL = "SELECT count(*) FROM deleted_devices"

        world.time.advance(by: .seconds(86_400 * 59))
        #expect(await retention.round())
        #expect(try await world.count(count) == 5)
        world.time.advance(by: .seconds(86_400 * 2))
        #expect(await retention.round())
        #expect(try await world.count(count) == 1)
    }

    @Test("S1-M5 messages between users keep their own days, independent of lists")
    func keepsMessagesForTheirDays() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1) { _ in .init(user: "user-1") }
        let user = try #require(UserID(rawValue: "user-1"))
        let sent = try await world.send(world.request(.users([user]), DeliveryWorld.message("from a friend")))
        let app = world.app
        _ = try await world.database.write { connection in
            try connection.run("UPDATE campaigns SET kind = 1 WHERE app_id = $1 AND id = $2", app, sent.id)
        }
        var days = RetentionDays()
        (days.lists, days.userMessages, days.campaigns) = (1, 60, 3_650)
        let retention = retention(world)
        _ = try await retention.setDays(days, of: app)
        let kept: SQL = "SELECT count(*) FROM campaigns WHERE message LIKE '%from a friend%'"

        world.time.advance(by: .seconds(86_400 * 50))
        #expect(await retention.round())
        #expect(try await world.count(kept) == 1)
    }

    private func retention(_ world: DeliveryWorld) -> Retention {
        var options = Retention.Options()
        options.pause = .zero
        return Retention(
            options: options,
            store: world.stores.retention,
            apps: world.stores.apps,
            users: Users(store: world.stores.users, apps: world.apps, clock: world.time),
            clock: world.time,
            timer: world.time,
            logger: world.log.logger
        )
    }

    @Test("S1-M5 a Device with two Users over time leaves no unreachable data of either")
    func takesFormerPeopleAlong() async throws {
        let person = MarkedPerson(try await DeliveryWorld())
        _ = try await person.fill()
        let (app, database) = (person.world.app, person.world.database)
        // The phone belonged to another person before, who wrote something.
        let written = try await database.write { connection in
            let count = try connection.run(
                """
                INSERT INTO events (app_id, occurrence_id, device_number, kind, action, occurred_at, reply)
                SELECT $1, (SELECT MAX(id) FROM occurrences WHERE app_id = $1), number, 4, 'buy', 0, 'words'
                FROM former_device_numbers WHERE app_id = $1 AND public_id = $2
                """,
                app,
                MarkedPerson.phone
            )
            try connection.run(
                "UPDATE former_device_numbers SET user_id = 'before' WHERE app_id = $1 AND public_id = $2",
                app,
                MarkedPerson.phone
            )
            return count
        }
        #expect(written > 0)

        try await erase(person)

        #expect(
            try await person.world.count(
                """
                SELECT count(*) FROM events e WHERE NOT EXISTS (
                    SELECT 1 FROM devices d WHERE d.app_id = e.app_id AND d.number = e.device_number)
                """
            ) == 0
        )
    }
}
