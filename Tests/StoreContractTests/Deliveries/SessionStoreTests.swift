import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

/// The sessions that keep leases alive, on every store.
struct SessionStoreTests {
    @Test("An ended session accepts no heartbeat", arguments: StoreKind.allCases)
    func beatsUntilItIsEnded(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 1) { fixture in
            let (store, session, now) = (fixture.store, fixture.session, fixture.now)
            #expect(try await store.beat(session, waits: nil, at: now))
            try await store.begin(session, at: now)
            #expect(try await store.beat(session, waits: nil, at: now))
            try await store.end(session)
            #expect(try await !store.beat(session, waits: nil, at: now))
            #expect(try await !store.beat(DispatcherSession(rawValue: 999), waits: nil, at: now))
        }
    }

    @Test("Ending a session frees all of its Chunks, each for one taker", arguments: StoreKind.allCases)
    func endsASession(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 4) { fixture in
            let old = [try await fixture.lease(limit: 2), try await fixture.lease(limit: 2)]
            let seen = try await fixture.overview().chunks
            #expect(seen.map(\.holder) == [fixture.session, fixture.session])

            let first = try #require(try await fixture.other.lease(again: seen[0], for: fixture.otherSession))
            #expect(first.fence == 2)
            let rest = try await fixture.overview().chunks.first { $0.lease.chunk == seen[1].lease.chunk }
            #expect(rest?.holder == nil)
            #expect(rest?.isTakenOver(by: fixture.otherSession) == true, "it was not given back")
            #expect(!seen[0].isTakenOver(by: fixture.session) && seen[0].isTakenOver(by: fixture.otherSession))
            // Any node may take it, including its former holder and those that saw it held.
            let second = try #require(try await fixture.other.lease(again: seen[1], for: fixture.otherSession))
            #expect(try await fixture.store.lease(again: seen[1], for: DispatcherSession(rawValue: 103)) == nil)
            #expect(try await fixture.overview().chunks.map(\.holder) == [fixture.otherSession, fixture.otherSession])
            for lease in old {
                #expect(try await fixture.store.commit(fixture.commit(lease, accepted: 1...4)) == .refused)
            }
            #expect(try await fixture.other.commit(fixture.commit(second, accepted: 3...4)) == .held(.sending))
        }
    }

    @Test("A Chunk with a live session cannot be taken, whatever others saw", arguments: StoreKind.allCases)
    func heartbeatsKeepAllChunks(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 4) { fixture in
            _ = try await fixture.lease(limit: 2)
            let seen = try await fixture.overview().chunks
            _ = try await fixture.lease(limit: 2)
            #expect(try await fixture.store.beat(fixture.session, waits: nil, at: fixture.now))

            #expect(try await fixture.other.lease(again: seen[0], for: fixture.otherSession) == nil)
            var free = seen[0]
            free.holder = nil
            #expect(try await fixture.other.lease(again: free, for: fixture.otherSession) == nil)
            #expect(try await fixture.overview().chunks.map(\.lease.fence) == [1, 1])
        }
    }

    @Test("A holder gets a Chunk again whose lease answer was lost", arguments: StoreKind.allCases)
    func findsAStray(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            let old = try await fixture.lease(limit: 2)
            let seen = try #require(try await fixture.overview().chunks.first)

            let new = try #require(try await fixture.store.lease(again: seen, for: fixture.session))
            #expect(new.fence == 2)
            #expect(try await fixture.store.beat(fixture.session, waits: nil, at: fixture.now))
            #expect(try await fixture.store.commit(fixture.commit(old, accepted: 1...2)) == .refused)
        }
    }

    @Test("Waiting commits are shown until their session changes that or ends", arguments: StoreKind.allCases)
    func showsWaits(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            let wait = CommitWait(
                campaign: fixture.campaign.id,
                occurrence: fixture.facts.occurrence,
                since: fixture.now,
                chunks: 1,
                notifications: 2
            )
            var later = wait
            later.since = fixture.later
            _ = try await fixture.other.beat(fixture.otherSession, waits: [later], at: fixture.now)
            _ = try await fixture.store.beat(fixture.session, waits: [wait], at: fixture.now)
            #expect(try await since(fixture) == [fixture.now, fixture.now, fixture.now])
            _ = try await fixture.store.beat(fixture.session, waits: nil, at: fixture.now)
            #expect(try await since(fixture) == [fixture.now, fixture.now, fixture.now])
            _ = try await fixture.store.beat(fixture.session, waits: [], at: fixture.now)
            #expect(try await since(fixture) == [fixture.later, fixture.later, fixture.later])
            try await fixture.other.end(fixture.otherSession)
            #expect(try await since(fixture) == [nil, nil, nil])
        }
    }

    /// Since when the Campaign waits: read alone, in a list, and of its Occurrence.
    private func since(_ fixture: DeliveryFixture) async throws -> [Timestamp?] {
        let campaign = try #require(try await fixture.campaigns.campaign(fixture.campaign.id, within: nil))
        let listed = try await fixture.campaigns.list(app: fixture.app, after: nil, limit: 10)
        let occurrences = try await fixture.campaigns.occurrences(of: campaign, after: nil, limit: 10)
        return [
            campaign.waitingForStoreSince, listed.first?.waitingForStoreSince,
            occurrences.first?.1.waitingForStoreSince,
        ]
    }

    @Test("Sessions of nodes that died idle are deleted after a day", arguments: StoreKind.allCases)
    func sweeps(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            _ = try await fixture.lease(limit: 2)
            let tomorrow = fixture.now.advanced(by: .seconds(2 * 86_400))
            let idle = DispatcherSession(rawValue: 104)
            try await fixture.store.begin(idle, at: fixture.now)
            try await fixture.store.begin(DispatcherSession(rawValue: 105), at: tomorrow)

            try await fixture.store.releaseAbandonedLeases(at: tomorrow)

            // SQLite has only its own sessions, and deletes none of them.
            #expect(try await fixture.store.beat(idle, waits: nil, at: tomorrow) == (kind != .postgreSQL))
            #expect(try await fixture.store.beat(DispatcherSession(rawValue: 105), waits: nil, at: tomorrow))
            #expect(try await fixture.store.beat(fixture.session, waits: nil, at: tomorrow))
        }
    }

    @Test("A token that was registered since is not quarantined", arguments: StoreKind.allCases)
    func sparesRegisteredTokens(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 2) { fixture in
            try await fixture.run("UPDATE devices SET registered_at = registered_at + 1 WHERE number = 2")
            let registered = try await fixture.database.read { connection in
                try connection.first("SELECT min(registered_at) FROM devices WHERE app_id = 7") { $0.int64(0) }
            }
            let verdicts = TokenVerdicts(
                app: fixture.app,
                campaign: fixture.campaign.id,
                at: Timestamp(rawValue: try #require(registered)),
                verdicts: (1...2).map { number in
                    ChunkCommit.TokenVerdict(
                        device: DeviceNumber(rawValue: Int64(number)),
                        pushType: .apns,
                        token: fixture.token(number),
                        .quarantined,
                        reason: FailureReason(rawValue: "BadDeviceToken")
                    )
                }
            )

            #expect(try await fixture.store.save(verdicts) == 1)

            let states = try await fixture.database.read { connection in
                try connection.all("SELECT token_state FROM devices WHERE app_id = 7 ORDER BY number LIMIT 9") {
                    $0.int(0)
                }
            }
            #expect(states == [2, 1])
        }
    }

    @Test("Verdicts change only tokens that are still the ones sent to", arguments: StoreKind.allCases)
    func keepsVerdicts(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 4) { fixture in
            func verdict(
                _ number: Int,
                token: Int,
                _ finding: ChunkCommit.Finding = .dead
            ) -> ChunkCommit.TokenVerdict {
                ChunkCommit.TokenVerdict(
                    device: DeviceNumber(rawValue: Int64(number)),
                    pushType: .apns,
                    token: fixture.token(token),
                    finding,
                    since: finding == .dead ? fixture.now : nil,
                    reason: FailureReason(rawValue: finding == .dead ? "Unregistered" : "Bad\"Device{},Token\\")
                )
            }
            var verdicts = TokenVerdicts(
                app: fixture.app,
                campaign: fixture.campaign.id,
                at: fixture.now,
                verdicts: [verdict(4, token: 9), verdict(3, token: 3, .quarantined), verdict(1, token: 1)]
            )
            #expect(try await fixture.store.save(verdicts) == 2)
            #expect(try await fixture.store.save(verdicts) == 0)
            verdicts.verdicts = []
            #expect(try await fixture.store.save(verdicts) == 0)

            let states = try await fixture.database.read { connection in
                try connection.all("SELECT token_state FROM devices WHERE app_id = 7 ORDER BY number LIMIT 9") {
                    $0.int(0)
                }
            }
            #expect(states == [3, 1, 2, 1])
            let listed = try await fixture.database.read { connection in
                try connection.all(
                    "SELECT device_number, reason FROM invalid_tokens WHERE app_id = 7 ORDER BY device_number LIMIT 9"
                ) { "\($0.int(0)) \($0.string(1))" }
            }
            #expect(listed == ["1 Unregistered", "3 Bad\"Device{},Token\\"])
        }
    }

    @Test("Only the token of the accepted notification is confirmed", arguments: StoreKind.allCases)
    func confirmsTokens(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            try await fixture.run("UPDATE devices SET token_unconfirmed = 1 WHERE app_id = 7")
            let verdicts = TokenVerdicts(
                app: fixture.app,
                campaign: fixture.campaign.id,
                at: fixture.now,
                verdicts: [(1, 1), (2, 9)].map { number, token in
                    ChunkCommit.TokenVerdict(
                        device: DeviceNumber(rawValue: number),
                        pushType: .apns,
                        token: fixture.token(token),
                        .confirmed,
                        reason: FailureReason(rawValue: "")
                    )
                }
            )

            #expect(try await fixture.store.save(verdicts) == 1)
            #expect(try await fixture.store.save(verdicts) == 0)

            let states = try await fixture.database.read { connection in
                try connection.all("SELECT token_unconfirmed FROM devices WHERE app_id = 7 ORDER BY number LIMIT 9") {
                    $0.isNull(0)
                }
            }
            #expect(states == [true, false, false])
            let reading = try await fixture.read(try await fixture.wave(), limit: 9)
            #expect(reading.recipients.unconfirmed == [false, true, true])
        }
    }
}
