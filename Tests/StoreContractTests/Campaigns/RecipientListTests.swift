import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// Lists of recipients that take several transactions, on both databases.
@Suite(.timeLimit(.minutes(5))) struct RecipientListTests {
    private static let app = AppID(rawValue: 7)
    private static let now = Timestamp(rawValue: 1_700_000_000_000)

    private let message = Message(content: [Message.defaultLanguage: LocalizedContent(body: "{{recipient.n}}")])

    private func recipients(_ count: Int, _ value: String = "v") throws -> [CampaignRecipient] {
        try (0..<count).map { number in
            // As text they are in the order of their numbers.
            let user = try #require(UserID(rawValue: "u\(100_000 + number)"))
            return CampaignRecipient(user: user, values: TemplateValues(["n": "\(value)\(number)"]))
        }
    }

    private func draft(_ recipients: [CampaignRecipient], id: Int64 = 8) -> NewCampaign {
        let request = CampaignRequest(audience: .users(recipients.map(\.user)), message: message)
        return NewCampaign(
            campaign: Campaign(
                id: CampaignID(rawValue: id),
                app: Self.app,
                request: request,
                state: .draft,
                createdAt: Self.now
            ),
            retryFor: .seconds(3_600),
            isTest: false,
            inbox: InboxPlacement(request, isTest: false),
            recipients: recipients,
            occurrence: nil
        )
    }

    private func change(
        _ stores: Stores,
        to recipients: [CampaignRecipient],
        list: Int64
    ) async throws -> PlannedChange {
        let read = try #require(try await stores.campaigns.planned(CampaignID(rawValue: 8), within: nil))
        var update = CampaignUpdate()
        update.recipients = recipients
        update.audience = .users(recipients.map(\.user))
        var planned = read
        update.apply(to: &planned.campaign)
        planned.campaign.updatedAt = Self.now
        return PlannedChange(planned, from: read, update, list: CampaignID(rawValue: list))
    }

    private func withStores(
        _ kind: StoreKind,
        _ body: (any Database, Stores, StatementRecorder) async throws -> Void
    ) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            let stores = try await Stores(migrating: database, now: Self.now)
            _ = try await database.write { connection in
                try connection.run(
                    """
                    INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                    VALUES (7, 'a', 'b', 'signed', 0, 1)
                    """
                )
            }
            try await body(database, stores, recorder)
        }
    }

    private func count(_ table: String, _ database: any Database) async throws -> Int {
        try await database.read { connection in
            let statement = try connection.prepare(ComposedSQL(ofOurs: "SELECT count(*) FROM \(table)"))
            defer { statement.reset() }
            return try statement.next() ? Int(statement.int64(0)) : 0
        }
    }

    @Test("S1-operators-5 10,000 recipients are saved in transactions of at most 1,000", arguments: StoreKind.allCases)
    func saves(_ kind: StoreKind) async throws {
        try await withStores(kind) { database, stores, recorder in
            let all = try recipients(10_000)
            recorder.reset()
            _ = try #require(try await stores.campaigns.insert(draft(all)))

            let inserts = recorder.statements.filter { $0.text.contains("INTO campaign_recipients") }
            #expect(inserts.map(\.runs) == [10])
            let stored = try await stores.campaigns.recipients(of: CampaignID(rawValue: 8), app: Self.app)
            #expect(stored == all)
            #expect(try await count("unused_recipient_lists", database) == 0)
        }
    }

    @Test("S1-operators-5 long values make parts smaller") func bytes() throws {
        let values = TemplateValues(
            Dictionary(uniqueKeysWithValues: (0..<64).map { ("n\($0)", String(repeating: "x", count: 1_000)) })
        )
        let long = try recipients(100).map { CampaignRecipient(user: $0.user, values: values) }

        #expect(try RecipientPart.parts(of: long, .sqlite).count == 20)
        #expect(try RecipientPart.parts(of: try recipients(10_000), .postgreSQL).count == 10)
        #expect(try RecipientPart.parts(of: [], .sqlite).isEmpty)
    }

    @Test(
        "S1-operators-5 a list without its Campaign is seen by nobody, and deleted after an hour",
        arguments: StoreKind.allCases
    )
    func abandoned(_ kind: StoreKind) async throws {
        try await withStores(kind) { database, stores, _ in
            let all = try recipients(2_500)
            let parts = try RecipientPart.parts(of: all, database.dialect)
            let (lists, id) = (RecipientLists(database: database), CampaignID(rawValue: 8))
            // The process ends before the Campaign is saved.
            try await lists.stage(parts, as: id, app: Self.app, at: Self.now)

            #expect(try await count("campaign_recipients", database) == 2_500)
            #expect(try await stores.campaigns.campaign(id, within: nil) == nil)
            let export = try await database.read { connection in
                try connection.all(RecipientSQL.ofUser, Self.app, all[0].user, -1, 10, as: Int64.self)
            }
            #expect(export.isEmpty)

            #expect(try await !stores.retention.dropUnusedRecipients(before: Self.now))
            #expect(try await count("campaign_recipients", database) == 2_500)
            let later = Self.now.advanced(by: .milliseconds(1))
            var steps = 0
            while try await stores.retention.dropUnusedRecipients(before: later) {
                steps += 1
                // Whoever is late cannot have it any more.
                await #expect(throws: StoreError.self) {
                    try await database.write { try $0.recipients.save(parts, as: id, app: Self.app) }
                }
            }
            #expect(steps == 3)
            #expect(try await count("campaign_recipients", database) == 0)
            #expect(try await count("unused_recipient_lists", database) == 0)
        }
    }

    @Test("S1-operators-5 a Campaign that cannot be saved leaves no recipients", arguments: StoreKind.allCases)
    func refused(_ kind: StoreKind) async throws {
        try await withStores(kind) { database, stores, _ in
            var new = draft(try recipients(2_500))
            new.campaign.app = AppID(rawValue: 9)
            #expect(try await stores.campaigns.insert(new) == nil)
            #expect(try await count("campaign_recipients", database) == 0)

            _ = try await stores.campaigns.insert(draft(try recipients(1)))
            await #expect(throws: StoreError.self) {
                try await stores.campaigns.insert(draft(try recipients(2_500)))
            }
            let stored = try await stores.campaigns.recipients(of: CampaignID(rawValue: 8), app: Self.app)
            #expect(stored == (try recipients(1)))
            #expect(try await count("unused_recipient_lists", database) == 0)
        }
    }

    @Test(
        "S1-operators-5 a change replaces all recipients at once, and an outdated one none",
        arguments: StoreKind.allCases
    )
    func replaces(_ kind: StoreKind) async throws {
        try await withStores(kind) { database, stores, _ in
            _ = try await stores.campaigns.insert(draft(try recipients(2_500, "old")))
            let (new, newer) = (try recipients(3_500, "new"), try recipients(1, "newer"))
            let first = try await change(stores, to: new, list: 100)
            let late = try await change(stores, to: try recipients(1_500, "late"), list: 101)

            #expect(try await stores.campaigns.change(first, at: Self.now)?.isOutdated == false)
            #expect(try await stores.campaigns.change(late, at: Self.now)?.isOutdated == true)
            let id = CampaignID(rawValue: 8)
            #expect(try await stores.campaigns.recipients(of: id, app: Self.app) == new)
            #expect(try await count("campaign_recipients", database) == 3_500)
            let found = try await database.read { connection in
                try connection.all(RecipientSQL.ofUser, Self.app, new[0].user, -1, 10, as: (Int64, Int64).self)
            }
            #expect(found.map(\.0) == [100] && found.map(\.1) == [8])

            let third = try await change(stores, to: newer, list: 102)
            #expect(try await stores.campaigns.change(third, at: Self.now)?.isOutdated == false)
            #expect(try await stores.campaigns.recipients(of: id, app: Self.app) == newer)
            #expect(try await count("campaign_recipients", database) == 1)
            #expect(try await count("unused_recipient_lists", database) == 0)
        }
    }

    @Test("S1-operators-5 a draft is deleted with all its recipients", arguments: StoreKind.allCases)
    func deletes(_ kind: StoreKind) async throws {
        try await withStores(kind) { database, stores, _ in
            _ = try await stores.campaigns.insert(draft(try recipients(2_500)))
            _ = try await stores.campaigns.insert(draft(try recipients(3), id: 9))
            _ = try await stores.campaigns.deleteDraft(CampaignID(rawValue: 8), within: nil)
            #expect(try await count("campaign_recipients", database) == 3)
            #expect(try await count("unused_recipient_lists", database) == 0)
        }
    }
}
