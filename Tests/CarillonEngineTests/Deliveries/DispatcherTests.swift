import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DispatcherTests {
    @Test("Every Device gets one notification, and the counts match") func sendsOnce() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(12_345)

        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let dispatcher = world.dispatcher()
        let sent = try await world.dispatching(dispatcher) {
            try await world.wait(for: .sent, of: campaign.id)
        }

        var expected = Funnel()
        expected.targeted = 12_345
        expected.accepted = 12_345
        #expect(try await world.funnel(campaign.id) == expected)
        #expect(world.sender.counts.count == 12_345)
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
        #expect(world.sender.batchSizes.max() == 1_000)
        #expect(sent.finishedAt == world.time.now())
        #expect(try await world.rowCount(.deliveryCount) == 12_345)
        #expect(try await world.rowCount(.chunkCount) == 0)
        #expect(try await world.rowCount(.waveCount) == 0)
        var figures = DispatcherMetrics.Snapshot()
        figures.outcomes = [.accepted: 12_345]
        #expect(dispatcher.dependencies.figures.snapshot == figures)
    }

    @Test("Many small Campaigns wait for their answers at the same time")
    func sendsSmallCampaignsTogether() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        var campaigns: [CampaignID] = []
        for _ in 0..<20 { campaigns.append(try await world.campaigns.create(app: world.app, world.request()).id) }
        world.sender.hold()

        try await world.dispatching(world.dispatcher()) {
            await world.sender.batches(20)
            world.sender.release()
            for campaign in campaigns { try await world.wait(for: .sent, of: campaign) }
        }
        #expect(world.sender.counts.values.map(\.self) == [20])
    }

    @Test("A large Campaign does not delay a small one") func sharesSlots() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(200)
        let large = try await world.campaigns.create(app: world.app, world.request())
        let message = DeliveryWorld.message("small")
        let small = try await world.campaigns.create(
            app: world.app,
            world.request(.devices([DeliveryWorld.id(7)]), message)
        )

        world.sender.hold()
        // One load at a time: of two concurrent ones either may be sent first.
        try await world.dispatching(
            world.dispatcher { ($0.chunkSize, $0.chunksAtOnce, $0.loadsAtOnce) = (10, 1, 1) }
        ) {
            // Both have begun while the first Chunk is sent, however long the store takes to begin them.
            for campaign in [small.id, large.id] { try await world.wait(for: .sending, of: campaign) }
            world.sender.release()
            for campaign in [small.id, large.id] { try await world.wait(for: .sent, of: campaign) }
        }

        let place = world.sender.sent.firstIndex { String(decoding: $0.payload, as: UTF8.self).contains("small") }
        #expect(try #require(place) <= 10, "Its turn comes after one Chunk of the large one.")
        #expect(world.sender.sent.count == 201)
    }
}
