import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// The stored waits of commits.
@Suite(.timeLimit(.minutes(15)))
struct CommitWaitTests {
    private static let locked = StoreError.unavailable("Somebody locks the table.")

    @Test("Waits that could not be stored when the last Chunk ended are stored later")
    func showsTheEnd() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(30)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        store.failCommits { _ in Self.locked }
        var options = Dispatcher.Options()
        (options.chunksAtOnce, options.smallChunksAtOnce, options.chunkSize) = (1, 1, 10)
        let dependencies = world.dependencies(store)

        try await world.dispatching(Dispatcher(options: options, dependencies)) {
            try await world.withTimeRunning {
                try await world.waitForHeartbeats(of: store, until: campaign.id) { $0?.waitingForStoreSince != nil }
                // Nothing more is sent, so that the node has no Chunk after this one.
                _ = try await world.campaigns.pause(campaign.id, within: world.app)
                store.failShows(Self.locked)
                let count = store.showFailed.count
                store.failCommits { _ in nil }
                await store.showFailed.wait(after: count)
                #expect(dependencies.figures.snapshot.chunksWaiting == 0)
                store.failShows(nil)
                try await world.waitForHeartbeats(of: store, until: campaign.id) { $0?.waitingForStoreSince == nil }
            }
        }
    }
}

extension DeliveryWorld {
    /// Waits until heartbeats have stored what the test expects of a Campaign.
    func waitForHeartbeats(
        of store: FaultyStore,
        until campaign: CampaignID,
        _ isSo: (Campaign?) -> Bool
    ) async throws {
        // Counted before it reads: the heartbeat that stores it may be the last.
        var count = store.heartbeats
        while !isSo(try await stores.campaigns.campaign(campaign, within: nil)) {
            await store.heartbeats(count + 1)
            count = store.heartbeats
            try Task.checkCancellation()
        }
    }
}
