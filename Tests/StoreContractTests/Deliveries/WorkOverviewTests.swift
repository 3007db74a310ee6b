import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

/// The work that dispatchers see, and the handling of failed work.
struct WorkOverviewTests {
    private var rule: FailureRule {
        var rule = FailureRule()
        rule.limit = 3
        return rule
    }

    private let failure = WorkFailure(.readRecentSends, .unavailable("It took too long."))

    // MARK: - Failures

    @Test("A failed Chunk is free at its time, each time later", arguments: StoreKind.allCases)
    func delaysFailedChunks(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            let lease = try await fixture.lease(limit: 10)

            let setback = try await fixture.store.note(failure, of: FailedWork(lease), by: rule, at: fixture.now)
            #expect(setback == WorkSetback(failures: 1, isPaused: false))
            let early = try await fixture.overview()
            #expect(early.chunks.isEmpty)
            #expect(early.nextWake == fixture.now.advanced(by: .seconds(1)))
            let free = try #require(try await fixture.overview(at: fixture.now.advanced(by: .seconds(1))).chunks.first)
            #expect(!free.isOwned && free.failures == 1)

            let again = try #require(try await fixture.lease(again: free))
            let second = try await fixture.store.note(failure, of: FailedWork(again), by: rule, at: fixture.now)
            #expect(second.failures == 2)
            #expect(try await fixture.overview().nextWake == fixture.now.advanced(by: .seconds(2)))
            // A node with the former lease does not count for the Chunk.
            #expect(try await fixture.overview(at: fixture.later).chunks.map(\.lease.fence) == [again.fence])
        }
    }

    @Test(
        "A Campaign with too many failures in a row is paused, and starts over when it is resumed",
        arguments: StoreKind.allCases
    )
    func pausesFailingCampaigns(
        _ kind: StoreKind
    ) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            var lease = try await fixture.lease(limit: 2)
            for count in 1...3 {
                let setback = try await fixture.store.note(failure, of: FailedWork(lease), by: rule, at: fixture.now)
                #expect(setback == WorkSetback(failures: count, isPaused: count == 3))
                guard count < 3 else { break }
                let free = try #require(try await fixture.overview(at: fixture.later).chunks.first)
                lease = try #require(try await fixture.lease(again: free))
            }
            let paused = try #require(try await fixture.campaigns.campaign(fixture.campaign.id, within: nil))
            #expect(paused.state == .paused)
            #expect(paused.alarm?.hasPrefix("WorkFailed: ") == true)
            let quiet = try await fixture.overview(at: fixture.later)
            #expect(quiet.chunks.isEmpty && quiet.waves.isEmpty && quiet.nextWake == nil)

            _ = try await fixture.campaigns.resume(fixture.campaign.id, within: nil, at: fixture.now)
            let resumed = try await fixture.overview()
            #expect(resumed.chunks.map(\.failures) == [0])
            #expect(resumed.waves.map(\.failures) == [0])
        }
    }

    @Test("Concurrent failures of nodes count as one attempt", arguments: StoreKind.allCases)
    func countsConcurrentFailuresOnce(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 4) { fixture in
            let work = FailedWork(
                app: fixture.app,
                campaign: fixture.campaign.id,
                occurrence: fixture.facts.occurrence
            )
            var counts: [Int] = []
            // Three nodes at once, one just before the next attempt, one with it; then a clock that was set far back.
            for milliseconds in [0, 0, 1, 999, 1_000, -3_600_000] {
                let now = fixture.now.advanced(by: .milliseconds(milliseconds))
                counts.append(try await fixture.store.note(failure, of: work, by: rule, at: now).failures)
            }
            #expect(counts == [1, 1, 1, 1, 2, 3])
        }
    }

    @Test("Success resets the failure count", arguments: StoreKind.allCases)
    func resetsFailures(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 4) { fixture in
            let work = FailedWork(
                app: fixture.app,
                campaign: fixture.campaign.id,
                occurrence: fixture.facts.occurrence
            )
            _ = try await fixture.store.note(failure, of: work, by: rule, at: fixture.now)
            #expect(try await fixture.wave().failures == 1)
            let lease = try await fixture.lease(limit: 2)
            var commit = fixture.commit(lease, accepted: 1...2)
            commit.ending = .isOver
            commit.clearsFailures = true
            _ = try await fixture.store.commit(commit)
            #expect(try await fixture.wave().failures == 0)
        }
    }

    @Test("Failed retries wait as a Chunk", arguments: StoreKind.allCases)
    func keepsFailedRetries(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            let first = try await fixture.lease(limit: 10)
            var commit = ChunkCommit(lease: first, at: fixture.now)
            commit.retries = (1...2).map { number in
                .init(device: .init(rawValue: number), pushType: .apns, dueAt: fixture.now, attempts: 1)
            }
            commit.ending = .isOver
            _ = try await fixture.store.commit(commit)
            let lease = try await fixture.leaseRetries()
            _ = try await fixture.store.note(failure, of: FailedWork(lease), by: rule, at: fixture.now)

            let early = try await fixture.overview()
            #expect(early.chunks.isEmpty && early.waves.isEmpty)
            let free = try #require(try await fixture.overview(at: fixture.later).chunks.first)
            let again = try #require(try await fixture.lease(again: free))
            #expect(try await fixture.store.readRest(of: again, facts: fixture.facts).count == 2)
        }
    }

    // MARK: - Pausing

    @Test("A paused Campaign completes an Occurrence that is being cancelled", arguments: StoreKind.allCases)
    func completesCancelledOccurrences(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            let first = try await fixture.lease(limit: 10)
            var commit = ChunkCommit(lease: first, at: fixture.now)
            commit.retries = [.init(device: .init(rawValue: 1), pushType: .apns, dueAt: fixture.later, attempts: 1)]
            commit.ending = .isOver
            _ = try await fixture.store.commit(commit)
            let planned = try #require(try await fixture.campaigns.planned(fixture.campaign.id, within: nil))
            _ = try await fixture.campaigns.cancel(
                Firing(slot: 0, dueAt: fixture.now),
                of: planned,
                next: nil,
                as: OccurrenceID(rawValue: 77),
                at: fixture.now
            )
            try await fixture.run("UPDATE campaigns SET state = 'sending'")

            _ = try await fixture.campaigns.pause(fixture.campaign.id, within: nil, at: fixture.now)

            let wave = try #require(try await fixture.overview().waves.first)
            #expect(wave.isCancelling)
        }
    }

    // MARK: - Many

    @Test("The work of a thousand Apps is found App by App", arguments: StoreKind.allCases)
    func findsWorkByApp(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            // App 7's Campaign, and a hundred more of the App that would fill every list.
            try await fixture.addWork(apps: 101...1_099, campaigns: 1)
            try await fixture.addWork(apps: 50...50, campaigns: 300)
            var cursor = WorkCursor()
            var apps: Set<AppID> = []
            var occurrences: Set<OccurrenceID> = []
            var looks = 0
            repeat {
                let overview = try await fixture.store.overview(at: fixture.now, from: cursor)
                #expect(overview.isByApp && overview.waves.count <= 64)
                apps.formUnion(overview.waves.map(\.app))
                occurrences.formUnion(overview.waves.map(\.occurrence))
                for wave in overview.waves { cursor.record(wave) }
                cursor.app = overview.moreApps
                looks += 1
            } while cursor.app != nil && looks < 1_000
            #expect(apps.count == 1_001)

            // All Campaigns of the App with many have their turn.
            for _ in 0..<50 {
                cursor.app = AppID(rawValue: 49)
                let overview = try await fixture.store.overview(at: fixture.now, from: cursor)
                for wave in overview.waves where wave.app.rawValue == 50 {
                    occurrences.insert(wave.occurrence)
                    cursor.record(wave)
                }
            }
            #expect(occurrences.count == 1 + 999 + 300)
        }
    }

    @Test("Every held Chunk is seen in turn, however many there are", arguments: StoreKind.allCases)
    func seesAllChunks(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 12) { fixture in
            var keys: Set<ChunkKey> = []
            for _ in 0..<6 { keys.insert(try await fixture.lease(limit: 2).chunk) }
            var limits = OverviewLimits()
            limits.chunks = 2
            let store = DeliveryRepository(database: fixture.database, overviewLimits: limits)
            var cursor = WorkCursor()
            var seen: Set<ChunkKey> = []
            for _ in 0..<4 {
                let overview = try await store.overview(at: fixture.now, from: cursor)
                #expect(overview.chunks.count <= 2)
                seen.formUnion(overview.chunks.map(\.lease.chunk))
                cursor.chunk = overview.moreChunks
            }
            #expect(seen == keys)
            #expect(cursor.chunk == nil)
        }
    }
}

extension DeliveryFixture {
    /// Adds unread Occurrences of Apps without Devices.
    fileprivate func addWork(apps: ClosedRange<Int>, campaigns: Int) async throws {
        try await database.write { connection in
            for app in apps {
                for campaign in 1...campaigns {
                    let id = 1_000 * app + campaign
                    try connection.send(
                        """
                        INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until,
                            next_chunk, state)
                        VALUES ($1, $2, $2, 1, 0, 0, 1, 'sending')
                        """,
                        app,
                        id
                    )
                    try connection.send(
                        """
                        INSERT INTO waves (app_id, occurrence_id, wave, campaign_id, due_at, read_at, cursor, is_read,
                            wake_at)
                        VALUES ($1, $2, 1, $2, 0, 0, 0, 0, 0)
                        """,
                        app,
                        id
                    )
                }
            }
        }
    }

    fileprivate func leaseRetries() async throws -> Lease {
        let wave = try await wave()
        let reading = try await store.readRetries(of: facts, dueAt: now, limit: 10)
        guard let lease = try await store.leaseRetries(reading, of: wave, at: now, for: session) else { throw NoWave() }
        return lease
    }

    fileprivate func lease(again chunk: OpenChunk) async throws -> Lease? {
        try await store.lease(again: chunk, for: session)
    }
}
