import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// What the store shows of commits that wait.
@Suite(.timeLimit(.minutes(15)))
struct CommitWaitTests {
    private static let locked = StoreError.unavailable("Somebody locks the table.")

    @Test("What could not be shown when the last Chunk ended is shown later")
    func showsTheEnd() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        store.failCommits { _ in Self.locked }

        try await world.dispatching(Dispatcher(world.surroundings(store))) {
            try await world.withTimeRunning {
                try await world.waits(campaign.id, store) { $0?.waitingForStoreSince != nil }
                store.failShows(Self.locked)
                store.failCommits { _ in nil }
                try await world.wait(for: .sent, of: campaign.id)
                store.failShows(nil)
                try await world.waits(campaign.id, store) { $0?.waitingForStoreSince == nil }
            }
        }
    }
}

extension DeliveryWorld {
    /// Waits until the store shows of a Campaign what a heartbeat brought there.
    func waits(
        _ campaign: CampaignID,
        _ store: FaultyStore,
        until isSo: (Campaign?) -> Bool
    ) async throws {
        while !isSo(try await stores.campaigns.campaign(campaign, within: nil)) {
            await store.heartbeats(store.heartbeats + 1)
            try Task.checkCancellation()
        }
    }
}
