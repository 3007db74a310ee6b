import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import TestSupport
import Testing

/// Counts compared with a recount of their rows, after random operations.
@Suite(.timeLimit(.minutes(5)))
struct RecountTests {
    @Test("Counts equal a recount of the rows, after random failures", arguments: TestCases.few(of: 1...12))
    func countersEqualRows(_ seed: UInt64) async throws {
        let luck = SeededLuck(seed)
        let sender = FakeSender { notification in
            switch luck.roll(100, notification.device.rawValue, 1) {
            case 0..<8: .dropMessage(FailureReason(rawValue: "Reason\(luck.roll(3, notification.device.rawValue, 2))"))
            case 8..<12: .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: nil)
            case 12..<15: .quarantineDeviceToken(FailureReason(rawValue: "BadDeviceToken"))
            case 15..<45 where luck.next(100) < 60: .retryLater(FailureReason(rawValue: "Busy"), after: nil)
            default: .accepted
            }
        }
        let world = try await DeliveryWorld(sender: sender)
        try await world.addDevices(150) { .init(consent: luck.roll(10, Int64($0), 3) == 0 ? [] : .notifications) }
        let key = try await world.statistics.create(app: world.app, StatisticsKeyRequest(name: "gathered"))
        var request = world.request()
        request.statisticsID = key.id
        request.retryFor = 7_200

        let store = FaultyStore(world.stores.deliveries)
        let campaigns = [
            try await world.campaigns.create(app: world.app, request),
            try await world.campaigns.create(app: world.app, world.request()),
        ]
        store.fail { _ in
            switch luck.next(100) {
            case 0..<10: .before(.unavailable("lost"))
            case 10..<20: .after(.unavailable("lost"))
            default: nil
            }
        }
        var dependencies = world.dispatcher().dependencies
        dependencies.work = store
        dependencies.outcomes = store
        dependencies.sessions = store
        var options = Dispatcher.Options()
        options.chunkSize = 40
        options.batchSize = 10
        options.commitSize = 15
        options.random = { 0.5 }
        try await world.dispatching(Dispatcher(options: options, dependencies)) {
            for campaign in campaigns {
                while try await world.campaigns.campaign(campaign.id, within: nil).state != .sent {
                    try await reportSomething(world, campaign.id, luck)
                    await world.advanceToNextSleeper()
                }
            }
        }
        for _ in 0..<40 { for campaign in campaigns { try await reportSomething(world, campaign.id, luck) } }

        for (counted, recounted) in try await Recount.pairs(world.database) { #expect(counted == recounted) }
        for campaign in campaigns {
            let funnel = try await world.funnel(campaign.id)
            let total = try await world.statistics.series(of: campaign.id, within: nil, .init(unit: .day)).total
            #expect(total.accepted == funnel.accepted && total.failed == funnel.failed)
            #expect(total.skipped == funnel.skipped && total.targeted == funnel.targeted)
            #expect(total.received == funnel.received && total.actions == funnel.actions)
        }
    }

    /// Reports an event of some phone, possibly repeated, late or with a wrong clock.
    private func reportSomething(_ world: DeliveryWorld, _ campaign: CampaignID, _ luck: SeededLuck) async throws {
        let campaign = try await world.campaigns.campaign(campaign, within: nil)
        guard campaign.occurrence != nil else { return }
        let kind = Event.Kind.allCases[luck.next(Event.Kind.allCases.count)]
        let action = kind == .action ? "button-\(luck.next(3))" : nil
        try await world.report(
            kind,
            of: campaign,
            device: 1 + luck.next(150),
            after: .seconds(luck.next(20_000) - 15_000),
            action: action,
            reply: action != nil && luck.next(2) == 0 ? "fine" : nil
        )
    }
}

/// The counts, and the recount.
private enum Recount {
    static func pairs(_ database: any Database) async throws -> [([String], [String])] {
        let statements: [(SQL, SQL)] = [
            (
                """
                SELECT occurrence_id, bucket, kind, reason, CAST(SUM(count) AS BIGINT) FROM statistics_by_occurrence
                GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                """,
                """
                SELECT occurrence_id, minute, kind, reason, count(*) FROM (
                    SELECT occurrence_id, at / 60000 AS minute, outcome AS kind, reason FROM deliveries
                    UNION ALL SELECT occurrence_id, occurred_at / 60000,
                        CASE kind WHEN 1 THEN 11 WHEN 2 THEN 12 WHEN 3 THEN 13 WHEN 4 THEN 14 ELSE 15 END, 0 FROM events
                    UNION ALL SELECT occurrence_id, occurred_at / 60000, 20, 0 FROM events WHERE reply IS NOT NULL
                ) x GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                """
            ),
            (
                """
                SELECT statistics_id, unit * 10000000000 + bucket, kind, reason, CAST(SUM(count) AS BIGINT)
                FROM statistics_by_time GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                """,
                """
                SELECT COALESCE(c.statistics_id, 0), u.unit * 10000000000 + x.minute / u.unit * u.unit, x.kind,
                    x.reason, count(*)
                FROM (
                    SELECT occurrence_id, at / 60000 AS minute, outcome AS kind, reason FROM deliveries
                    UNION ALL SELECT occurrence_id, occurred_at / 60000,
                        CASE kind WHEN 1 THEN 11 WHEN 2 THEN 12 WHEN 3 THEN 13 WHEN 4 THEN 14 ELSE 15 END, 0 FROM events
                    UNION ALL SELECT occurrence_id, occurred_at / 60000, 20, 0 FROM events WHERE reply IS NOT NULL
                ) x JOIN occurrences o ON o.id = x.occurrence_id JOIN campaigns c ON c.id = o.campaign_id,
                (SELECT 1 AS unit UNION ALL SELECT 30) u
                GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                """
            ),
            (
                """
                SELECT occurrence_id, outcome, reason, 0, CAST(SUM(count) AS BIGINT) FROM delivery_counts
                WHERE outcome > 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
                """,
                """
                SELECT occurrence_id, outcome, reason, 0, count(*) FROM deliveries GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
                """
            ),
            (
                """
                SELECT occurrence_id, kind, 0, 0, CAST(SUM(count) AS BIGINT) FROM event_counts
                GROUP BY 1, 2 ORDER BY 1, 2
                """,
                """
                SELECT occurrence_id, kind, 0, 0, count(*) FROM (
                    SELECT occurrence_id, kind FROM events
                    UNION ALL SELECT occurrence_id, 100 FROM events WHERE reply IS NOT NULL
                ) x GROUP BY 1, 2 ORDER BY 1, 2
                """
            ),
        ]
        return try await database.read { connection in
            var pairs: [([String], [String])] = []
            for (counted, recounted) in statements {
                pairs.append((try connection.all(counted, read: text), try connection.all(recounted, read: text)))
            }
            return pairs
        }
    }

    private static func text(_ row: any SQLStatement) -> String {
        (0..<5).map { String(row.int64($0)) }.joined(separator: " ")
    }
}
