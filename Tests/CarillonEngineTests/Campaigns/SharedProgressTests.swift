import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import NIOConcurrencyHelpers
import Testing

/// Many who follow the same Campaign.
@Suite(.timeLimit(.minutes(2)))
struct SharedProgressTests {
    @Test("K-108 two hundred who follow a Campaign cost the store as many reads as one")
    func shares() async throws {
        let alone = try await reads(followers: 1, seconds: 3)
        let many = try await reads(followers: 200, seconds: 3)
        #expect(alone > 0)
        #expect(many == alone)
    }

    @Test("Who begins to follow after a change gets what was read after it")
    func beginsAfresh() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let campaigns = world.campaigns
        let id = try await campaigns.create(app: world.app, world.request()).id
        var first = try await campaigns.progress(id, within: nil).makeAsyncIterator()
        let before = await first.next()
        #expect(before?.state == .sending)

        _ = try await campaigns.pause(id, within: nil)
        var second = try await campaigns.progress(id, within: nil).makeAsyncIterator()
        let after = await second.next()
        #expect(after?.state == .paused)
    }

    /// The store's reads while some follow a Campaign for some seconds, after each has begun.
    private func reads(followers: Int, seconds: Int) async throws -> Int {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let counted = CountedDatabase(world.database)
        let campaigns = Campaigns(
            store: try await Stores(migrating: counted, now: world.time.now()).campaigns,
            sender: world.sender,
            ids: world.ids,
            clock: world.time,
            signals: world.signals,
            timer: world.time
        )
        let id = try await campaigns.create(app: world.app, world.request()).id
        var streams: [AsyncStream<CampaignProgress>] = []
        for _ in 0..<followers {
            streams.append(try await campaigns.progress(id, within: nil, every: .seconds(1)))
        }
        let before = counted.reads
        await withTaskGroup(of: Void.self) { group in
            for stream in streams { group.addTask { for await _ in stream {} } }
            await world.time.sleepers(followers)
            for _ in 0..<seconds {
                world.time.advance(by: .seconds(1))
                await world.time.sleepers(followers)
            }
            group.cancelAll()
        }
        return counted.reads - before
    }
}

/// A database that counts reads.
private final class CountedDatabase: Database {
    private let database: any Database
    private let count = NIOLockedValueBox(0)

    init(_ database: any Database) { self.database = database }

    var reads: Int { count.withLockedValue { $0 } }
    var dialect: Dialect { database.dialect }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        count.withLockedValue { $0 += 1 }
        return try await database.read(body)
    }

    func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.write(priority: priority, body)
    }

    func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.maintenance(patience: patience, body)
    }

    func turn(at lock: WriteLock) async -> (any DatabaseTurn)? { await database.turn(at: lock) }

    func close() { database.close() }
}
