import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// What a dispatcher would do, step by step.
extension TestServer {
    /// Begins the due firing of a Campaign.
    func begin(_ campaign: CampaignID, app: AppID) async throws {
        let (store, now) = (stores.deliveries, clock.now())
        let planned = try #require(try await store.planned(campaign, of: app))
        let firing = try #require(planned.next)
        let step = try #require(planned.plan?.step(from: firing, at: now))
        let ids: [OccurrenceID] = (0...step.missed.count).map { _ in engine.context.ids.next() }
        try await store.start(planned, step, as: ids, at: now)
    }

    /// Takes an Occurrence's notifications as if Apple had; in local time those of the zones that have reached it.
    func deliver(_ occurrence: OccurrenceID, app: AppID, _ outcome: Delivery.Outcome = .accepted) async throws {
        let (store, now) = (stores.deliveries, clock.now())
        let waves = try await store.overview(at: now, from: WorkCursor()).waves
        let wave = try #require(waves.first { $0.occurrence == occurrence })
        let facts = try #require(try await store.facts(of: occurrence, app: app))
        let reading = try await store.read(wave, of: facts, limit: 10)
        let lease = try await store.lease(reading, of: wave, readAt: now, at: now, for: .random())
        // Nobody's time has come; the later waves are there.
        if lease == nil, reading.recipients.count == 0 { return }
        var commit = ChunkCommit(lease: try #require(lease), at: now)
        commit.reasons = [FailureReason(rawValue: "BadDeviceToken")]
        commit.rows = reading.recipients.numbers.map { .init(device: $0, pushType: .apns, outcome: outcome) }
        commit.waves = reading.later
        commit.ending = .isOver
        _ = try await store.commit(commit)
    }
}
