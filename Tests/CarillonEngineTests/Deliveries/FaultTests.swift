import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import ServiceLifecycle
import ServiceLifecycleTestKit
import TestStores
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeliveryFaultTests {
    private static let deviceCount = 200

    private func options() -> Dispatcher.Options {
        var options = Dispatcher.Options()
        options.chunkSize = 30
        options.batchSize = 10
        options.chunksAtOnce = 2
        options.window.total = 60
        return options
    }

    /// From some call on neither store nor push service get anything from the process, which to them is a killed one.
    private func runUntilKilled(
        atCall killed: Int,
        _ place: TestPlace,
        _ sender: FakeSender,
        isAnswerLost: Bool
    ) async throws -> (AppID, CampaignID, TestTime) {
        let world = try await DeliveryWorld(sender: sender, place: place)
        try await world.addDevices(Self.deviceCount)
        var message = DeliveryWorld.message()
        message.badge = .increment(by: 1)
        let campaign = try await world.campaigns.create(app: world.app, world.request(.all, message))
        let store = FaultyStore(world.stores.deliveries)
        let dead = StoreError.unavailable("killed")
        store.fail { call in
            guard call >= killed else { return nil }
            sender.disconnect()
            return call == killed && isAnswerLost ? .after(dead) : .before(dead)
        }
        var dependencies = world.dispatcher().dependencies
        dependencies.work = store
        dependencies.outcomes = store
        dependencies.sessions = store
        try await world.dispatching(Dispatcher(options: options(), dependencies)) {
            // Tasks that wait for the store sleep, and so do those whose campaign is complete.
            while store.calls < killed { await world.advanceToNextSleeper() }
        }
        world.database.close()
        sender.connect()
        return (world.app, campaign.id, world.time)
    }

    @Test(
        "A killed process repeats at most its uncommitted notifications",
        arguments: TestCases.few(of: 1...45),
        [false, true]
    )
    func survivesBeingKilled(_ call: Int, _ isAnswerLost: Bool) async throws {
        try await TestPlace.with { place in
            let sender = FakeSender()
            let (app, campaign, time) = try await runUntilKilled(
                atCall: call,
                place,
                sender,
                isAnswerLost: isAnswerLost
            )
            let world = try await DeliveryWorld(sender: sender, time: time, place: place, app: app)
            defer { world.database.close() }
            let committed = Set(try await world.deliveries(campaign).keys)
            let before = sender.counts
            if TestPlace.isPostgreSQL {
                // Another node might hold the leases; these have expired.
                try await world.database.write { connection in
                    _ = try connection.run("UPDATE chunks SET owner = NULL")
                }
            }

            try await world.dispatching(Dispatcher(options: options(), world.dispatcher().dependencies)) {
                try await world.wait(for: .sent, of: campaign)
            }

            let funnel = try await world.funnel(campaign)
            #expect((funnel.targeted, funnel.accepted) == (Self.deviceCount, Self.deviceCount))
            #expect(try await world.rowCount("SELECT count(*) FROM device_badges WHERE badge = 1") == Self.deviceCount)
            let counts = sender.counts
            #expect(counts.count == Self.deviceCount)
            #expect(counts.values.allSatisfy { $0 <= 2 })
            for number in committed {
                let device = DeviceNumber(rawValue: Int64(number))
                #expect(counts[device] == before[device], "What was committed is not sent again.")
            }
            // The window bounds what was sent and not committed.
            #expect(counts.values.count { $0 == 2 } <= options().window.total)
        }
    }

    @Test(
        "Outcomes wait until the disk has room",
        .enabled(if: !TestPlace.isPostgreSQL, "only SQLite's file can be given a limit")
    )
    func waitsForTheDisk() async throws {
        try await TestPlace.with { place in
            let world = try await DeliveryWorld(place: place)
            defer { world.database.close() }
            try await world.addDevices(3_000)
            let campaign = try await world.campaigns.create(app: world.app, world.request())
            world.sender.hold()

            try await world.dispatching(world.dispatcher { $0.chunksAtOnce = 1 }) {
                await world.sender.batches(1)
                try await world.database.limitPages("PRAGMA max_page_count = 1")
                world.sender.release()
                // It has its answers, cannot commit them, and waits.
                await world.sender.batches(3)
                for _ in 0..<10 { await world.advanceToNextSleeper() }
                #expect(try await world.funnel(campaign.id) == Funnel())
                await #expect(throws: EngineError.store(.full)) {
                    var large = DeliveryWorld.message(String(repeating: "x", count: 2_000))
                    large.content["ja"] = LocalizedContent(body: String(repeating: "x", count: 2_000))
                    for _ in 0..<100 {
                        _ = try await world.campaigns.create(app: world.app, world.request(.all, large))
                    }
                }
                try await world.database.limitPages("PRAGMA max_page_count = 1000000")
                _ = try await world.withTimeRunning { try await world.wait(for: .sent, of: campaign.id) }
            }

            #expect(try await world.funnel(campaign.id).accepted == 3_000)
            #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("Shutting down completes sent batches and gives back the rest") func shutsDownGracefully() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(Self.deviceCount)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await testGracefulShutdown { trigger in
            let dispatcher = Dispatcher(options: options(), world.dispatcher().dependencies)
            async let run: Void = dispatcher.run()
            await world.sender.batches(4)
            trigger.triggerGracefulShutdown()
            world.sender.release()
            try await run
        }

        let answered = world.sender.sent.count
        #expect(answered < Self.deviceCount)
        #expect(try await world.funnel(campaign.id).accepted == answered)
        // Chunks that were given back are free at once, before a lease expires.
        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .sent, of: campaign.id)
        }
        #expect(world.sender.counts.count == Self.deviceCount)
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
    }
}

extension Database {
    fileprivate func limitPages(_ pragma: String) async throws {
        try await write { connection in try connection.execute(script: pragma) }
    }
}
