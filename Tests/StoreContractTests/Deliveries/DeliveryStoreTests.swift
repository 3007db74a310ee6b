import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

/// The guarantees of every store for dispatchers.
struct DeliveryStoreTests {
    // MARK: - Leases

    @Test("Devices are leased once, and the cursor advances", arguments: StoreKind.allCases)
    func leasesOnce(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 10) { fixture in
            let wave = try await fixture.wave()
            let reading = try await fixture.read(wave, limit: 4)
            #expect(reading.recipients.numbers.map(\.rawValue) == [1, 2, 3, 4])
            #expect(!reading.isLast)

            let lease = try await fixture.lease(reading, of: wave)
            #expect(lease?.fence == 1)
            #expect(try await fixture.lease(reading, of: wave, byOther: true) == nil)
            let next = try await fixture.wave()
            #expect(next.cursor == DeviceNumber(rawValue: 4))
            #expect(try await fixture.read(next, limit: 100).recipients.numbers.map(\.rawValue) == Array(5...10))
        }
    }

    @Test("A commit with a lost lease is refused and writes nothing", arguments: StoreKind.allCases)
    func refusesLostLeases(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            let old = try await fixture.lease(limit: 10)
            let seen = try #require(try await fixture.overview().chunks.first)
            let new = try #require(try await fixture.other.lease(again: seen, for: fixture.otherSession))
            #expect(new.fence == 2)
            #expect(try await fixture.store.lease(again: seen, for: fixture.session) == nil)
            #expect(try await !fixture.store.beat(fixture.session, waits: nil, at: fixture.now))

            var commit = fixture.commit(old, accepted: 1...3)
            commit.retries = [.init(device: .init(rawValue: 3), pushType: .apns, dueAt: fixture.now, attempts: 1)]
            commit.ending = .isOver
            #expect(try await fixture.store.commit(commit) == .refused)
            #expect(try await fixture.funnel() == Funnel())
            #expect(try await fixture.overview().chunks.map(\.lease) == [new])

            commit = fixture.commit(new, accepted: 1...3)
            commit.ending = .isOver
            #expect(try await fixture.other.commit(commit) == .held(.sent))
            #expect(try await fixture.other.commit(commit) == .refused)
            #expect(try await fixture.funnel().accepted == 3)
        }
    }

    @Test("A heartbeat prevents others from taking the Chunk", arguments: StoreKind.allCases)
    func heartbeatsProtectChunks(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            let lease = try await fixture.lease(limit: 10)
            let seen = try #require(try await fixture.overview().chunks.first)
            #expect(seen.holder == fixture.session)

            #expect(try await fixture.store.beat(fixture.session, waits: nil, at: fixture.now))
            #expect(try await fixture.other.lease(again: seen, for: fixture.otherSession) == nil)
            #expect(try await fixture.store.commit(fixture.commit(lease, accepted: 1...3)) == .held(.sending))
        }
    }

    @Test("The rest of a Chunk excludes complete and waiting notifications", arguments: StoreKind.allCases)
    func readsTheRest(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 5) { fixture in
            let lease = try await fixture.lease(limit: 10)
            var part = fixture.commit(lease, accepted: 1...2)
            part.retries = [.init(device: .init(rawValue: 4), pushType: .apns, dueAt: fixture.later, attempts: 1)]
            #expect(try await fixture.store.commit(part) == .held(.sending))
            var end = ChunkCommit(lease: lease, at: fixture.now)
            end.ending = .isGivenBack
            #expect(try await fixture.store.commit(end) == .held(.sending))

            let given = try #require(try await fixture.overview().chunks.first)
            #expect(given.holder == nil && !given.isOwned)
            let again = try #require(try await fixture.other.lease(again: given, for: fixture.otherSession))
            let rest = try await fixture.other.readRest(of: again, facts: fixture.facts)
            #expect(rest.numbers.map(\.rawValue) == [3, 5])
            let funnel = try await fixture.funnel()
            #expect((funnel.targeted, funnel.accepted, funnel.retrying) == (3, 2, 1))
        }
    }

    @Test(
        "A former process's leases end when a new one begins, where only one process can run",
        arguments: StoreKind.allCases
    )
    func releasesAbandonedLeases(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            _ = try await fixture.lease(limit: 10)

            try await fixture.store.releaseAbandonedLeases(at: fixture.now)
            #expect(try await fixture.overview().chunks.map { $0.holder != nil } == [true])
            try await fixture.other.releaseAbandonedLeases(at: fixture.now)
            #expect(try await fixture.overview().chunks.map { $0.holder != nil } == [kind == .postgreSQL])
        }
    }

    // MARK: - Reading

    @Test("Devices with an active token are read up to the highest number at the start", arguments: StoreKind.allCases)
    func readsDevices(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 4) { fixture in
            try await fixture.run("UPDATE devices SET token_state = 2 WHERE number = 2")
            try await fixture.addDevices(5...6)

            let reading = try await fixture.read(try await fixture.wave(), limit: 100)
            #expect(reading.recipients.numbers.map(\.rawValue) == [1, 3, 4])
            #expect(reading.isLast)
            let recipients = reading.recipients
            #expect(recipients.consents == [.notifications, .notifications, .notifications])
            #expect(recipients.languages.map { recipients.languageTags[$0] } == ["en", "en", "en"])
            #expect(Array(recipients.tokens[1]) == fixture.token(3))
        }
    }

    // MARK: - Retries

    @Test("Retries are due in order and belong to one Chunk at a time", arguments: StoreKind.allCases)
    func ordersRetries(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 6) { fixture in
            let lease = try await fixture.lease(limit: 10)
            var commit = ChunkCommit(lease: lease, at: fixture.now)
            for (number, delay) in [(1, 30), (2, 10), (3, 10), (4, 20), (5, 99)] {
                let due = fixture.now.advanced(by: .seconds(delay))
                commit.retries.append(
                    .init(device: .init(rawValue: Int64(number)), pushType: .apns, dueAt: due, attempts: 1)
                )
            }
            commit.ending = .isOver
            #expect(try await fixture.store.commit(commit) == .held(.sending))
            #expect(try await fixture.overview().nextWake == fixture.now.advanced(by: .seconds(10)))

            let due = fixture.now.advanced(by: .seconds(30))
            let wave = try #require(try await fixture.overview(at: due).waves.first)
            #expect(wave.nextRetry == fixture.now.advanced(by: .seconds(10)))
            let first = try await fixture.store.readRetries(of: fixture.facts, dueAt: due, limit: 2)
            #expect(first.recipients.numbers.map(\.rawValue) == [2, 3])
            #expect(first.recipients.attempts == [1, 1])
            let leased = try #require(
                try await fixture.store.leaseRetries(first, of: wave, at: due, for: fixture.session)
            )
            #expect(try await fixture.other.leaseRetries(first, of: wave, at: due, for: fixture.otherSession) == nil)

            let second = try await fixture.other.readRetries(of: fixture.facts, dueAt: due, limit: 10)
            #expect(second.recipients.numbers.map(\.rawValue) == [4, 1])
            var ended = fixture.commit(leased, accepted: 2...3)
            ended.ending = .isOver
            #expect(try await fixture.store.commit(ended) == .held(.sending))
            let funnel = try await fixture.funnel()
            #expect((funnel.accepted, funnel.retrying, funnel.targeted) == (2, 3, 5))
        }
    }

    @Test("A repeated commit does not restore retries that others have sent meanwhile", arguments: StoreKind.allCases)
    func repeatedRetries(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            var commit = ChunkCommit(lease: try await fixture.lease(limit: 10), at: fixture.now)
            commit.retries = [.init(device: .init(rawValue: 1), pushType: .apns, dueAt: fixture.now, attempts: 1)]
            #expect(try await fixture.store.commit(commit) == .held(.sending))
            let wave = try #require(try await fixture.overview().waves.first)
            let reading = try await fixture.other.readRetries(of: fixture.facts, dueAt: fixture.now, limit: 10)
            let leased = try #require(
                try await fixture.other.leaseRetries(reading, of: wave, at: fixture.now, for: fixture.otherSession)
            )
            #expect(leased.chunk.number == reading.nextChunk)
            var sent = fixture.commit(leased, accepted: 1...1)
            sent.ending = .isOver
            #expect(try await fixture.other.commit(sent) == .held(.sending))

            #expect(try await fixture.store.commit(commit) == .held(.sending))

            let rest = try await fixture.store.readRetries(of: fixture.facts, dueAt: fixture.now, limit: 10)
            #expect(rest.recipients.numbers == [])
            #expect(rest.nextChunk != reading.nextChunk)
        }
    }

    // MARK: - Ends

    @Test("A Chunk that pauses leaves its rest and its alarm", arguments: StoreKind.allCases)
    func pausesWithAlarm(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            let lease = try await fixture.lease(limit: 10)
            var commit = fixture.commit(lease, accepted: 1...1)
            commit.ending = .pauses(.noPushKey)

            #expect(try await fixture.store.commit(commit) == .held(.paused))
            let campaign = try await fixture.campaigns.campaign(fixture.campaign.id, within: nil)
            #expect((campaign?.state, campaign?.alarm) == (.paused, "NoPushKey"))
            #expect(try await fixture.overview() == .init(dueCampaigns: [], nextWake: nil, chunks: [], waves: []))
            #expect(try await fixture.store.commit(ChunkCommit(lease: lease, at: fixture.now)) == .held(.paused))
        }
    }

    @Test("Each Device counts once, whatever is committed twice", arguments: StoreKind.allCases)
    func countsOnce(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            let lease = try await fixture.lease(limit: 10)
            _ = try await fixture.store.commit(fixture.commit(lease, accepted: 1...2))
            _ = try await fixture.store.commit(fixture.commit(lease, accepted: 1...3))

            #expect(try await fixture.funnel().accepted == 3)
        }
    }

    @Test("Reasons are stored with counts", arguments: StoreKind.allCases)
    func countsReasons(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 4) { fixture in
            let lease = try await fixture.lease(limit: 10)
            var commit = ChunkCommit(lease: lease, at: fixture.now)
            commit.reasons = [FailureReason(rawValue: "A"), FailureReason(rawValue: "B")]
            let fates: [(Delivery.Outcome, UInt16)] = [(.failed, 0), (.failed, 1), (.skipped, 1), (.expired, 1)]
            for (index, fate) in fates.enumerated() {
                let device = DeviceNumber(rawValue: Int64(index + 1))
                commit.rows.append(.init(device: device, pushType: .apns, outcome: fate.0, reason: fate.1))
            }
            commit.ending = .isOver
            #expect(try await fixture.store.commit(commit) == .held(.sent))

            let funnel = try await fixture.funnel()
            #expect((funnel.targeted, funnel.failed, funnel.skipped) == (4, ["A": 1, "B": 2], ["B": 1]))
            let failures = try await fixture.campaigns.failures(of: fixture.campaign)
            #expect(
                Set(failures.map { "\($0.outcome) \($0.reason) \($0.count)" }) == [
                    "failed A 1", "failed B 1", "expired B 1",
                ]
            )
        }
    }

    @Test("Totals stay after their rows are deleted", arguments: StoreKind.allCases)
    func keepsCounts(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            let lease = try await fixture.lease(limit: 10)
            _ = try await fixture.store.commit(fixture.commit(lease, accepted: 1...2))
            try await fixture.run("DELETE FROM deliveries")
            try await fixture.run("DELETE FROM devices")

            #expect(try await fixture.funnel().accepted == 2)
        }
    }

    @Test("Only a scheduled Campaign can be started", arguments: StoreKind.allCases)
    func startsScheduledCampaigns(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 1) { fixture in
            let planned = try #require(await fixture.store.planned(fixture.campaign.id, of: fixture.app))
            let step = FiringStep(begin: Firing(slot: 0, part: 1, dueAt: fixture.now))
            try await fixture.store.start(planned, step, as: [OccurrenceID(rawValue: 99)], at: fixture.now)

            let campaign = try await fixture.campaigns.campaign(fixture.campaign.id, within: nil)
            #expect(campaign?.occurrence == fixture.campaign.occurrence)
        }
    }
}
