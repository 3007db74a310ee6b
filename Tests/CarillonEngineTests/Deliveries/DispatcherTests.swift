import CarillonEngine
import CarillonModel
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DispatcherTests {
    @Test func sendsToEveryDeviceOnceAndCountsIt() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(12_345)

        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let sent = try await world.dispatching(world.dispatcher()) {
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
    }
}
