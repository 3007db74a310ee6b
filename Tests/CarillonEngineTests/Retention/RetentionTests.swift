import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Logging
import NIOConcurrencyHelpers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RetentionTests {
    private func retention(
        _ world: DeliveryWorld,
        owner: Int64 = 1,
        store: (any RetentionStore)? = nil
    ) -> Retention {
        var options = Retention.Options()
        options.pause = .zero
        options.stepSize = 7
        return Retention(
            options: options,
            store: store ?? world.stores.retention,
            apps: world.stores.apps,
            users: Users(store: world.stores.users, apps: world.apps, clock: world.time),
            clock: world.time,
            timer: world.time,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            owner: owner
        )
    }

    private func counts(_ world: DeliveryWorld) async throws -> [Int] {
        var counts: [Int] = []
        let tables: [SQL] = [
            "SELECT count(*) FROM deliveries", "SELECT count(*) FROM events", "SELECT count(*) FROM inbox_rows",
            "SELECT count(*) FROM inbox_broadcasts", "SELECT count(*) FROM statistics_by_time WHERE unit = 1",
            "SELECT count(*) FROM statistics_by_occurrence",
        ]
        for table in tables { counts.append(try await world.count(table)) }
        return counts
    }

    @Test("Old rows are deleted by App and kind, totals stay, and late events do not count again")
    func deletesOldRows() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(30)
        let old = try await world.send(world.request(.devices((1...20).map(DeliveryWorld.id))))
        let broadcast = try await world.send(world.request())
        for device in 1...12 { try await world.report(.opened, of: old, device: device) }
        let before = try await world.funnel(old.id)
        world.time.advance(by: .seconds(86_400 * 40))
        let recent = try await world.send(world.request(.devices((1...20).map(DeliveryWorld.id))))
        try await world.report(.opened, of: recent, device: 1)
        var days = RetentionDays()
        days.deliveries = 30
        days.events = 60
        _ = try await retention(world).setDays(days, of: world.app)
        let all = try await counts(world)
        #expect(all[0] == 70 && all[1] == 13 && all[2] == 40 && all[3] == 1)

        #expect(await retention(world).round())
        let kept = try await counts(world)
        #expect(Array(kept.prefix(4)) == [20, 13, 20, 0])
        #expect(kept[4] < all[4] && kept[5] < all[5])
        #expect(try await world.funnel(old.id) == before)
        #expect(try await world.funnel(broadcast.id).accepted == 30)
        // Half hours stay: the App's series still has it.
        let series = try await world.statistics.series(
            of: world.app,
            .init("2026-02-28T00:00:00Z", "2026-05-01T00:00:00Z", unit: .day)
        )
        #expect(series.total.accepted == 70 && series.total.opened == 13)

        world.time.advance(by: .seconds(86_400 * 21))
        #expect(await retention(world).round())
        #expect(try await counts(world)[1] == 1)
        let late = try await world.report(.opened, of: old, device: 1)
        #expect(late.rejected.map(\.problem) == ["the push is older than 60 days"])
        #expect(try await world.funnel(old.id) == before)
    }

    @Test("Complete Occurrences of an endless Campaign are deleted, its totals stay, and it goes on")
    func deletesOccurrences() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        var request = world.request()
        request.variants = [Variant(name: "a"), Variant(name: "b")]
        request.schedule = Schedule(
            .daily,
            times: ["09:00", "21:00"].compactMap { TimeOfDay($0) },
            zone: "Asia/Seoul"
        )
        let campaign = try await world.campaigns.create(app: world.app, request)
        func fire(_ times: Int) async throws {
            try await world.dispatching(world.dispatcher()) {
                for _ in 0..<times {
                    try await world.wait(for: .scheduled, of: campaign.id)
                    try await world.advanceToNextWork(of: campaign.id)
                    let due: Timestamp = world.time.now()
                    try await world.wait(for: .scheduled, of: campaign.id) { $0.startedAt == due }
                }
            }
        }
        try await fire(1)
        try await world.report(
            .opened,
            of: try await world.campaigns.campaign(campaign.id, within: world.app),
            device: 1
        )
        try await fire(160)
        let before = try await world.funnel(campaign.id)
        #expect(before.accepted == 483 && before.opened == 1 && before.variants?.map(\.accepted).reduce(0, +) == 483)
        var days = RetentionDays()
        (days.deliveries, days.events, days.minutes) = (7, 7, 7)
        _ = try await retention(world).setDays(days, of: world.app)

        #expect(await retention(world).round())
        let first = try await world.campaigns.occurrences(campaign.id, within: world.app, cursor: nil, limit: 500).items
        let now: Timestamp = world.time.now()
        let oldest = now.advanced(by: .seconds(-86_400 * 37))
        let listed = first.filter { $0.state == .sent }
        #expect((73...75).contains(listed.count) && listed.allSatisfy { $0.plannedAt >= oldest })
        #expect(try await world.count("SELECT count(*) FROM occurrences") == listed.count + 1)
        #expect(try await world.count("SELECT count(DISTINCT occurrence_id) FROM delivery_counts") == listed.count + 1)
        #expect(try await world.funnel(campaign.id) == before)

        // A second round adds to the same sum.
        try await fire(4)
        #expect(await retention(world).round())
        let after = try await world.funnel(campaign.id)
        #expect(after.accepted == 495 && after.opened == 1 && after.variants?.map(\.opened).reduce(0, +) == 1)
        #expect(try await world.count("SELECT count(*) FROM occurrences WHERE slot = -1") == 1)
        _ = try await world.campaigns.cancel(campaign.id, within: world.app)
        #expect(try await world.campaigns.campaign(campaign.id, within: world.app).state == .cancelled)
        #expect(try await world.funnel(campaign.id) == after)
    }

    @Test("Invalid tokens are deleted when they are not listed any more") func deletesInvalidTokens() async throws {
        let sender = FakeSender { _ in .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: nil) }
        let world = try await DeliveryWorld(sender: sender)
        // More than one step.
        try await world.addDevices(501)
        try await world.send(world.request())
        world.time.advance(by: .seconds(86_400 * 20))
        try await world.addDevices(1, from: 502)
        try await world.send(world.request())
        let count: SQL = "SELECT count(*) FROM invalid_tokens"

        #expect(await retention(world).round())
        #expect(try await world.count(count) == 502)
        world.time.advance(by: .seconds(86_400 * 10 + 1))
        #expect(await retention(world).round())
        #expect(try await world.count(count) == 1)
    }

    @Test("A paused Campaign keeps its own rows, however old, and no others") func keepsPausedCampaigns() async throws {
        let sender = FakeSender()
        let world = try await DeliveryWorld(sender: sender)
        let store = world.stores.retention
        if world.database.dialect == .postgreSQL {
            let now: Timestamp = world.time.now()
            _ = try await store.makePartitions(from: now, through: now, .thorough)
        }
        try await world.addDevices(10) { .init(consent: $0 > 5 ? [] : .notifications) }
        let before = try await world.send(world.request())
        sender.answer { _ in .halt(FailureReason(rawValue: "BadTopic")) }
        let paused = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .paused, of: paused.id) }
        sender.answer { _ in .accepted }
        let after = try await world.send(world.request())
        func rows(_ campaign: Campaign) async throws -> Int {
            let occurrence = try #require(campaign.occurrence)
            return try await world.database.read { connection in
                try connection.first(
                    "SELECT count(*) FROM deliveries WHERE occurrence_id = $1",
                    occurrence
                ) { $0.int(0) }
            } ?? 0
        }
        let kept = try await rows(world.campaigns.campaign(paused.id, within: world.app))
        #expect(kept > 0)
        #expect(try await [rows(before), rows(after)] == [10, 10])
        world.time.advance(by: .seconds(86_400 * 100))

        #expect(await retention(world).round())
        #expect(try await rows(world.campaigns.campaign(paused.id, within: world.app)) == kept)
        #expect(try await [rows(before), rows(after)] == [0, 0])

        // When it is complete, its rows are deleted too, and with them the week.
        _ = try await world.campaigns.cancel(paused.id, within: world.app)
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .cancelled, of: paused.id) }
        #expect(await retention(world).round())
        #expect(try await world.count("SELECT count(*) FROM deliveries") == 0)
    }

    @Test("Complete test sends and transactional Campaigns are deleted after their days, counts by time stay")
    func deletesCampaigns() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(30)
        var request = world.request(.devices((1...20).map(DeliveryWorld.id)))
        request.isTransactional = true
        var old: [Campaign] = []
        for _ in 0..<3 { old.append(try await world.send(request)) }
        for device in 1...9 { try await world.report(.opened, of: old[0], device: device) }
        let ordinary = try await world.send(world.request())
        world.time.advance(by: .seconds(86_400 * 31))
        let recent = try await world.send(request)

        #expect(await retention(world).round())

        for campaign in old {
            await #expect(throws: EngineError.notFound(.campaign)) {
                try await world.campaigns.campaign(campaign.id, within: world.app)
            }
        }
        #expect(try await world.funnel(ordinary.id).accepted == 30)
        #expect(try await world.funnel(recent.id).accepted == 20)
        let tables: [SQL] = [
            "SELECT count(*) FROM occurrences", "SELECT count(DISTINCT occurrence_id) FROM delivery_counts",
            "SELECT count(DISTINCT occurrence_id) FROM deliveries", "SELECT count(*) FROM campaigns",
        ]
        for table in tables { #expect(try await world.count(table) == 2) }
        #expect(try await world.count("SELECT count(*) FROM events") == 0)
        #expect(try await world.count("SELECT count(*) FROM event_counts") == 0)
        let series = try await world.statistics.series(
            of: world.app,
            .init("2026-02-28T00:00:00Z", "2026-05-01T00:00:00Z", unit: .day)
        )
        #expect(series.total.accepted == 110 && series.total.opened == 9)
    }

    @Test("A failing App, kind or table does not stop the others") func continuesAfterFailures() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(30)
        try await world.send(world.request(.devices((1...20).map(DeliveryWorld.id))))
        world.time.advance(by: .seconds(86_400 * 100))
        let store = FailingRetentionStore(world.stores.retention)
        store.failsPartitions = true
        store.failing = [.deliveries]
        var subject = retention(world, store: store)
        #expect(await !subject.round())
        let some = try await counts(world)
        #expect(some[0] == 20 && some[2] == 0, "\(some)")
        #expect(store.calls.contains("makePartitions"))
        #expect(subject.figures.values.failures["deliveries"] == 1)
        #expect(subject.figures.values.failures["partitions"] == 3)

        store.failsPartitions = false
        store.failing = []
        subject = retention(world, store: store)
        #expect(await subject.round())
        #expect(try await counts(world)[0] == 0)
        #expect(subject.figures.values.lastRound == world.time.now())
    }

    @Test("Partitions are created first, whatever a deletion throws") func createsPartitionsFirst() async throws {
        let world = try await DeliveryWorld()
        let store = FailingRetentionStore(world.stores.retention)
        store.failing = Set(RetentionSubject.allCases)
        #expect(await !retention(world, store: store).round())
        #expect(store.calls.first == "makePartitions")
        guard world.database.dialect == .postgreSQL else { return }
        // This week and the next three, of both tables.
        #expect(
            try await world.count(
                "SELECT count(*) FROM pg_inherits WHERE CAST(inhparent AS regclass) = to_regclass('deliveries')"
            ) == 5
        )
    }

    @Test("An erasure continues after the request when an App has many Occurrences")
    func continuesErasures() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        try await world.send(world.request())
        let user = try #require(UserID(rawValue: "erased"))
        let (database, app) = (world.database, world.app)
        try await database.write { connection in
            try connection.run("UPDATE devices SET user_id = $1 WHERE app_id = $2 AND number = 2", user, app)
            // More than the request searches.
            for number in 1...10_500 {
                try connection.send(
                    """
                    INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk,
                        slot) VALUES ($1, $2, 1, 1, 0, 0, 1, $2)
                    """,
                    app,
                    Int64(number)
                )
            }
        }
        let users = Users(store: world.stores.users, apps: world.apps, clock: world.time)
        try await users.erase(user, app: app)
        #expect(try await world.count("SELECT count(*) FROM devices") == 2)
        #expect(try await world.count("SELECT count(*) FROM deliveries") == 3)
        #expect(try await users.hasPendingErasures())

        while try await users.continueErasures() {}

        #expect(try await world.count("SELECT count(*) FROM deliveries") == 2)
        #expect(try await world.count("SELECT count(*) FROM former_device_numbers") == 0)
        #expect(try await !users.hasPendingErasures())
    }

    @Test("One node works at a time, and another takes over") func oneNodeAtATime() async throws {
        let world = try await DeliveryWorld()
        #expect(await retention(world, owner: 1).round())
        #expect(await !retention(world, owner: 2).round())
        world.time.advance(by: .seconds(300))
        #expect(await retention(world, owner: 2).round())
        #expect(await !retention(world, owner: 1).round())
    }

    @Test("On PostgreSQL weeks are partitions, created ahead and dropped as a whole")
    func managesPartitions() async throws {
        let world = try await DeliveryWorld()
        guard world.database.dialect == .postgreSQL else { return }
        try await world.addDevices(10)
        let store = world.stores.retention
        let now: Timestamp = world.time.now()
        func ahead(_ days: Int) -> Timestamp { now.advanced(by: .seconds(86_400 * days)) }
        let first = try await store.makePartitions(from: now, through: ahead(21), .thorough)
        #expect(first.made == 8 && first.missing == [])
        #expect(try await store.makePartitions(from: now, through: ahead(21), .thorough).made == 0)
        try await world.send(world.request())
        #expect(try await world.count("SELECT count(*) FROM deliveries_rest") == 0)
        #expect(try await world.count("SELECT count(*) FROM deliveries") == 10)

        #expect(try await store.dropPartitions(of: .deliveries, before: ahead(30)).dropped >= 2)
        #expect(try await world.count("SELECT count(*) FROM deliveries") == 0)
        try await world.send(world.request())
        #expect(try await world.count("SELECT count(*) FROM deliveries_rest") == 10)
        // Rows block this week's partition: it is left out, and the next are created.
        let report = try await store.makePartitions(from: now, through: ahead(21), .thorough)
        #expect(report.missing.count == 1 && report.missing.first?.hasPrefix("deliveries_w") == true)
    }
}

/// A store whose steps fail as the test sets.
private final class FailingRetentionStore: RetentionStore {
    private struct State {
        var failing: Set<RetentionSubject> = []
        var failsPartitions = false
        var calls: [String] = []
    }

    private let store: any RetentionStore
    private let state = NIOLockedValueBox(State())

    init(_ store: any RetentionStore) { self.store = store }

    var failing: Set<RetentionSubject> {
        get { state.withLockedValue { $0.failing } }
        set { state.withLockedValue { $0.failing = newValue } }
    }
    var failsPartitions: Bool {
        get { state.withLockedValue { $0.failsPartitions } }
        set { state.withLockedValue { $0.failsPartitions = newValue } }
    }
    var calls: [String] { state.withLockedValue { $0.calls } }

    func days(of app: AppID) async throws(StoreError) -> RetentionDays? { try await store.days(of: app) }

    func setDays(_ days: RetentionDays, of app: AppID) async throws(StoreError) -> Bool {
        try await store.setDays(days, of: app)
    }

    func claim(
        _ name: String,
        owner: Int64,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> Bool { try await store.claim(name, owner: owner, at: now, until: end) }

    func drop(
        _ subject: RetentionSubject,
        of app: AppID,
        before time: Timestamp,
        after cursor: RetentionCursor,
        limit: Int
    ) async throws(StoreError) -> RetentionCursor? {
        state.withLockedValue { $0.calls.append("drop") }
        if failing.contains(subject) { throw .unavailable("The table is locked.") }
        return try await store.drop(subject, of: app, before: time, after: cursor, limit: limit)
    }

    func partitionBoundary(
        of subject: RetentionSubject,
        before time: Timestamp
    ) async throws(StoreError) -> Timestamp? { nil }

    func makePartitions(
        from now: Timestamp,
        through newest: Timestamp,
        _ patience: PartitionPatience
    ) async throws(StoreError) -> PartitionReport {
        state.withLockedValue { $0.calls.append("makePartitions") }
        if failsPartitions { throw .unavailable("A dump is running.") }
        return try await store.makePartitions(from: now, through: newest, patience)
    }

    func dropPartitions(
        of subject: RetentionSubject,
        before oldest: Timestamp
    ) async throws(StoreError) -> DroppedPartitions {
        state.withLockedValue { $0.calls.append("dropPartitions") }
        if failsPartitions { throw .unavailable("A dump is running.") }
        return try await store.dropPartitions(of: subject, before: oldest)
    }

    func dropAuditEntries(before time: Timestamp, at now: Timestamp, limit: Int) async throws(StoreError) -> Int {
        try await store.dropAuditEntries(before: time, at: now, limit: limit)
    }

    func dropIdempotencyKeys(before time: Timestamp, limit: Int) async throws(StoreError) -> Bool {
        try await store.dropIdempotencyKeys(before: time, limit: limit)
    }

    func dropUnusedRecipients(before time: Timestamp) async throws(StoreError) -> Bool {
        try await store.dropUnusedRecipients(before: time)
    }

    func dropRemovedTokens(before time: Timestamp, limit: Int) async throws(StoreError) -> Bool {
        try await store.dropRemovedTokens(before: time, limit: limit)
    }
}
