import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Logging
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RetentionTests {
    private func retention(_ world: DeliveryWorld, owner: Int64 = 1) -> Retention {
        var options = Retention.Options()
        options.pause = .zero
        options.stepSize = 7
        return Retention(
            options: options,
            store: world.stores.retention,
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

    @Test func `old rows go by App and kind, totals stay, and what comes too late does not count again`() async throws {
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
        // Half hours stay: the series of the App still has it.
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

    @Test func `refused tokens go when they are listed no more`() async throws {
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

    @Test func `rows of a Campaign that is not over stay, however old`() async throws {
        let sender = FakeSender { _ in .halt(FailureReason(rawValue: "BadTopic")) }
        let world = try await DeliveryWorld(sender: sender)
        try await world.addDevices(10) { .init(consent: $0 > 5 ? [] : .notifications) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .paused, of: campaign.id) }
        let count = try await world.count("SELECT count(*) FROM deliveries")
        #expect(count > 0)
        world.time.advance(by: .seconds(86_400 * 400))

        #expect(await retention(world).round())
        #expect(try await world.count("SELECT count(*) FROM deliveries") == count)
    }

    @Test func `one node does it at a time, and another takes over`() async throws {
        let world = try await DeliveryWorld()
        #expect(await retention(world, owner: 1).round())
        #expect(await !retention(world, owner: 2).round())
        world.time.advance(by: .seconds(300))
        #expect(await retention(world, owner: 2).round())
        #expect(await !retention(world, owner: 1).round())
    }

    @Test func `on PostgreSQL weeks are partitions, made ahead and dropped whole`() async throws {
        let world = try await DeliveryWorld()
        guard world.database.dialect == .postgreSQL else { return }
        try await world.addDevices(10)
        let store = world.stores.retention
        let now: Timestamp = world.time.now()
        func ahead(_ days: Int) -> Timestamp { now.advanced(by: .seconds(86_400 * days)) }
        #expect(try await store.keepPartitions(from: Timestamp(rawValue: 0), through: ahead(21)) == 0)
        #expect(try await store.keepPartitions(from: Timestamp(rawValue: 0), through: ahead(21)) == 0)
        try await world.send(world.request())
        #expect(try await world.count("SELECT count(*) FROM deliveries_rest") == 0)
        #expect(try await world.count("SELECT count(*) FROM deliveries") == 10)

        #expect(try await store.keepPartitions(from: ahead(30), through: ahead(51)) >= 2)
        #expect(try await world.count("SELECT count(*) FROM deliveries") == 0)
        try await world.send(world.request())
        #expect(try await world.count("SELECT count(*) FROM deliveries_rest") == 10)
    }
}
