import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

/// A Campaign that goes on at another node than the one that it was paused at.
struct ResumedCampaignTests {
    @Test("K-65 a pause, another node and resuming send to every remaining Device once")
    func resumesAfterRestart() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        func node() -> Dispatcher { world.dispatcher { ($0.chunksAtOnce, $0.chunkSize) = (1, 2_500) } }
        world.sender.hold()
        try await world.dispatching(node()) {
            await world.sender.batches(3)
            _ = try await world.campaigns.pause(campaign.id, within: world.app)
            world.sender.release()
            try await world.wait(of: campaign.id) { $0.accepted == 2_500 }
        }

        // The first node's lease is over.
        world.time.advance(by: .seconds(600))
        #expect(try await world.campaigns.campaign(campaign.id, within: world.app).state == .paused)
        _ = try await world.campaigns.resume(campaign.id, within: world.app)
        try await world.finish(campaign.id, node())

        #expect(try await world.funnel(campaign.id).accepted == 10_000)
        #expect(world.sender.counts.count == 10_000 && world.sender.counts.values.allSatisfy { $0 == 1 })
    }
}
