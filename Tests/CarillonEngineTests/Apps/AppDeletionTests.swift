import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import NIOConcurrencyHelpers
import Testing

@Suite(.timeLimit(.minutes(5))) struct AppDeletionTests {
    private func deletions(
        _ world: DeliveryWorld,
        _ store: (any AppDeletionStore)? = nil,
        owner: Int64 = 1
    ) -> AppDeletions {
        var options = AppDeletions.Options()
        options.pause = .zero
        return AppDeletions(
            options: options,
            store: store ?? world.stores.appDeletions,
            claims: world.stores.retention,
            apps: world.apps,
            vendorAPIs: VendorAPIs(store: world.stores.vendorAPIs, clock: world.time),
            signals: world.signals,
            clock: world.time,
            timer: world.time,
            logger: world.log.logger,
            owner: owner
        )
    }

    private func count(_ sql: SQL, _ world: DeliveryWorld, _ app: AppID? = nil) async throws -> Int {
        let app = app ?? world.app
        return try await world.database.read { connection in
            try connection.first(sql, app, as: Int.self) ?? 0
        }
    }

    private func devices(_ world: DeliveryWorld, _ app: AppID? = nil) async throws -> Int {
        try await count("SELECT count(*) FROM devices WHERE app_id = $1", world, app)
    }

    @Test("An App is unknown when its deletion returns, and its rows go when no node can write any more")
    func deletes() async throws {
        let world = try await DeliveryWorld()
        let other = try await world.withNewApp()
        try await world.addDevices(30)
        try await other.addDevices(3)
        let sent = try await world.deliver(world.request(.all, DeliveryWorld.message("x"))).id
        let kept = try await other.deliver(other.request(.all, DeliveryWorld.message("x"))).id
        var late = world.request(.all, DeliveryWorld.message("late"))
        late.sendAt = world.time.now().advanced(by: .seconds(600))
        let planned = try await world.campaigns.create(app: world.app, late).id
        let deletions = deletions(world)
        #expect(try await !deletions.isDeleted(world.app))

        try await deletions.delete(world.app)

        #expect(try await deletions.isDeleted(world.app))
        #expect(try await !deletions.isDeleted(other.app))
        await #expect(throws: EngineError.notFound(.app)) { try await world.apps.app(world.app) }
        await #expect(throws: EngineError.notFound(.app)) { try await deletions.delete(world.app) }
        for id in [sent, planned] {
            await #expect(throws: EngineError.notFound(.campaign)) {
                try await world.campaigns.campaign(id, within: nil)
            }
        }
        #expect(try await world.apps.account(for: world.app) == nil)
        await #expect(throws: EngineError.notFound(.app)) {
            try await world.campaigns.create(app: world.app, world.request(.all, DeliveryWorld.message("x")))
        }

        #expect(await deletions.round() == .seconds(60))
        #expect(try await devices(world) == 30)
        #expect(try await count("SELECT count(*) FROM waves WHERE app_id = $1", world) == 0)
        #expect(deletions.figures.values.unfinished == 1)

        world.time.advance(by: .seconds(60))
        #expect(await deletions.round() == .seconds(300))
        #expect(try await devices(world) == 0)
        #expect(try await count("SELECT count(*) FROM campaigns WHERE app_id = $1", world) == 0)
        #expect(try await count("SELECT count(*) FROM deliveries WHERE app_id = $1", world) == 0)
        #expect(deletions.figures.values.unfinished == 0 && deletions.figures.values.rows > 60)
        #expect(try await devices(other) == 3)
        #expect(try await other.campaigns.campaign(kept, within: other.app).state == .sent)
        #expect(try await count("SELECT count(*) FROM deliveries WHERE app_id = $1", other) == 3)
    }

    @Test("A Campaign of a deleted App that is due is never sent")
    func sendsNothing() async throws {
        let world = try await DeliveryWorld()
        let other = try await world.withNewApp()
        try await world.addDevices(5)
        try await other.addDevices(1, from: 50)
        _ = try await world.campaigns.create(app: world.app, world.request(.all, DeliveryWorld.message("deleted")))
        try await deletions(world).delete(world.app)

        // The dispatcher has looked at all there is when the other App's is sent.
        _ = try await other.deliver(other.request(.all, DeliveryWorld.message("other")))

        #expect(world.texts.keys.sorted() == [50])
    }

    @Test("A restart in the middle continues where rows are left")
    func restarts() async throws {
        let world = try await DeliveryWorld()
        let other = try await world.withNewApp()
        try await world.addDevices(450)
        try await other.addDevices(5)
        let failing = FailingDeletionStore(world.stores.appDeletions)
        let first = deletions(world, failing)
        try await first.delete(world.app)
        world.time.advance(by: .seconds(60))
        failing.stepsLeft = 1

        #expect(await first.round() == .seconds(300))
        let left = try await devices(world)
        #expect(left > 0 && left < 450)
        #expect(first.figures.values.failures == 1 && first.figures.values.unfinished == 1)

        // Nothing but the database is left of the first one; its claim ends with its time.
        let second = deletions(world, owner: 2)
        #expect(await second.round() == .seconds(300))
        #expect(try await devices(world) == left)
        world.time.advance(by: .seconds(300))
        _ = await second.round()
        #expect(try await devices(world) == 0)
        #expect(second.figures.values.unfinished == 0)
        #expect(try await devices(other) == 5)
        #expect(try await second.isDeleted(world.app))
    }

    @Test("Rows that an import writes after the end are removed as well, for a day")
    func lateRows() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        let deletions = deletions(world)
        try await deletions.delete(world.app)
        world.time.advance(by: .seconds(60))
        _ = await deletions.round()
        #expect(deletions.figures.values.unfinished == 0)

        try await world.addDevices(2)
        world.time.advance(by: .seconds(300))
        _ = await deletions.round()
        #expect(try await devices(world) == 0)
    }
}

/// A store that fails after some steps, as when the process is killed.
private final class FailingDeletionStore: AppDeletionStore {
    private let store: any AppDeletionStore
    private let left = NIOLockedValueBox(Int.max)

    init(_ store: any AppDeletionStore) { self.store = store }

    var stepsLeft: Int {
        get { left.withLockedValue { $0 } }
        set { left.withLockedValue { $0 = newValue } }
    }

    func delete(_ app: AppID, at now: Timestamp) async throws(StoreError) -> [CampaignID]? {
        try await store.delete(app, at: now)
    }

    func isDeleted(_ app: AppID) async throws(StoreError) -> Bool { try await store.isDeleted(app) }

    func deletions(finishedAfter time: Timestamp, limit: Int) async throws(StoreError) -> [AppDeletion] {
        try await store.deletions(finishedAfter: time, limit: limit)
    }

    func removeSome(
        of app: AppID,
        after position: AppRowsPosition,
        onlyWork: Bool
    ) async throws(StoreError) -> (count: Int, next: AppRowsPosition?) {
        guard stepsLeft > 0 else { throw .unavailable("The process ends.") }
        stepsLeft -= 1
        return try await store.removeSome(of: app, after: position, onlyWork: onlyWork)
    }

    func hasRows(of app: AppID) async throws(StoreError) -> Bool { try await store.hasRows(of: app) }

    func finish(_ app: AppID, at now: Timestamp) async throws(StoreError) { try await store.finish(app, at: now) }
}
