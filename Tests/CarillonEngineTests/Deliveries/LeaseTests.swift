import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import NIOConcurrencyHelpers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LeaseTests {
    /// One Chunk, sent in batches of a hundred, one after another.
    private func slowly(_ options: inout Dispatcher.Options) {
        options.chunksAtOnce = 1
        options.batchSize = 100
        options.batchesAtOnce = 1
    }

    @Test("Of two dispatchers only one commits a Chunk") func commitsOnce() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())

        try await world.dispatching(
            world.dispatcher { $0.chunkSize = 100 },
            world.dispatcher { $0.chunkSize = 100 }
        ) {
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(try await world.funnel(campaign.id).accepted == 3_000)
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
    }

    @Test("A holder suspended beyond its lease is refused and sends no more") func refusesExpiredHolders() async throws
    {
        let world = try await DeliveryWorld()
        try await world.addDevices(1_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let healthy = FakeSender()
        var dependencies = world.dispatcher().dependencies
        dependencies.sender = healthy
        var options = Dispatcher.Options()
        slowly(&options)
        world.sender.hold()
        // Its clock stands still, and it sends no heartbeats.
        let frozen = TestTime()
        var first = world.dispatcher().dependencies
        first.timer = frozen

        try await world.dispatching(Dispatcher(options: options, first)) {
            // The first one sends a batch and is suspended.
            await world.sender.batches(1)
            try await world.dispatching(Dispatcher(options: options, dependencies)) {
                await world.time.sleepers(1)
                world.time.advance(by: .seconds(9))
                await world.time.sleepers(1)
                #expect(healthy.sent.isEmpty)
                world.time.advance(by: .seconds(1))
                await healthy.batches(3)
                // Now it resumes; the other one has the Chunk.
                frozen.advance(by: .seconds(10))
                world.sender.release()
                try await world.wait(for: .sent, of: campaign.id)
            }
        }

        var expected = Funnel()
        expected.targeted = 1_000
        expected.accepted = 1_000
        #expect(try await world.funnel(campaign.id) == expected)
        #expect(world.sender.sent.count == 100)
        #expect(healthy.counts.count == 1_000)
    }

    @Test("A holder that nobody replaced continues") func continuesWithoutReplacement() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(300)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher(slowly)) {
            await world.sender.batches(1)
            world.time.advance(by: .seconds(3_600))
            world.sender.release()
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
        #expect(try await world.funnel(campaign.id).accepted == 300)
    }

    @Test("A Chunk whose lease was answered late is leased again by its own node, and sent once")
    func lateLease() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(300)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        let isFirst = NIOLockedValueBox(true)
        store.delayLeases {
            guard
                isFirst.withLockedValue({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return }
            world.time.advance(by: Dispatcher.Options().leaseTime)
        }

        try await world.dispatching(Dispatcher(world.dependencies(store))) {
            try await world.withTimeRunning { try await world.wait(for: .sent, of: campaign.id) }
        }

        #expect(!isFirst.withLockedValue { $0 })
        #expect(world.sender.counts.count == 300)
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
        #expect(try await world.funnel(campaign.id).accepted == 300)
    }

    @Test("A retry that another node made between the reading and the lease is not repeated")
    func staleRetries() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(4)
        let busy = FailureReason(rawValue: "TooManyRequests")
        world.sender.answer { _ in .retryLater(busy, after: nil) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        let (reads, opening) = (AsyncSignal(), AsyncSignal())
        store.delayRetries {
            reads.signal()
            await opening.wait(after: 0)
        }

        try await world.dispatching(Dispatcher(world.dependencies(store))) {
            try await world.wait(of: campaign.id) { $0.retrying == 4 }
            world.sender.answer { $0.device.rawValue < 4 ? .accepted : .retryLater(busy, after: nil) }
            try await world.advanceToNextRetry(of: campaign.id)
            await reads.wait(after: 0)
            try await world.dispatching(world.dispatcher()) {
                try await world.wait(of: campaign.id) { $0.accepted == 3 && $0.retrying == 1 }
            }
            world.sender.answer { _ in .accepted }
            opening.signal()
            _ = try await world.withTimeRunning { try await world.wait(for: .sent, of: campaign.id) }
        }

        let counts = (1...4).map { world.sender.counts[DeviceNumber(rawValue: $0)] }
        #expect(counts == [2, 2, 2, 3])
        #expect(try await world.funnel(campaign.id).accepted == 4)
    }

    @Test("A slow Chunk commits in parts as answers arrive") func commitsParts() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(500)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher(slowly)) {
            for batch in 1...5 {
                await world.sender.batches(batch)
                #expect(try await world.funnel(campaign.id).accepted == 100 * (batch - 1))
                world.time.advance(by: .seconds(2))
                world.sender.releaseOne()
            }
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(try await world.funnel(campaign.id).accepted == 500)
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
    }

    @Test("Leases do not depend on the wall clock") func ignoresTheWallClock() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher { $0.chunkSize = 100 }, world.dispatcher { $0.chunkSize = 100 }) {
            await world.sender.batches(1)
            world.time.setWall(by: .seconds(-86_400))
            world.sender.releaseOne()
            await world.sender.batches(9)
            world.time.setWall(by: .seconds(3 * 86_400))
            world.sender.release()
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(try await world.funnel(campaign.id).accepted == 1_000)
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
    }
}
