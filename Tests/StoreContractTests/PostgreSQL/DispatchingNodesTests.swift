import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// Two nodes that send one Campaign, at moments when they could conflict.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct DispatchingNodesTests {
    /// Races do not happen each time.
    private static let rounds = 1...12

    @Test("Of two nodes that read the same Devices one leases them", arguments: rounds)
    func leasesOnce(_ round: Int) async throws {
        try await withNodes(devices: 6) { fixture in
            let wave = try await fixture.wave()
            async let first = fixture.store.read(wave, of: fixture.facts, limit: 3)
            async let second = fixture.other.read(wave, of: fixture.facts, limit: 3)
            let readings = try await (first, second)
            #expect(readings.0.recipients.numbers == readings.1.recipients.numbers)

            async let one = fixture.lease(readings.0, of: wave)
            async let two = fixture.lease(readings.1, of: wave, byOther: true)
            let leases = try await [one, two].compactMap(\.self)

            #expect(leases.count == 1)
            #expect(try await fixture.overview().chunks.count == 1)
            #expect(try await fixture.wave().cursor == DeviceNumber(rawValue: 3))
        }
    }

    @Test(
        "Of the last two Chunks, read and completed by two nodes at once, one completes the Campaign",
        arguments: rounds
    )
    func lastTwoChunks(_ round: Int) async throws {
        try await withNodes(devices: 6) { fixture in
            let wave = try await fixture.wave()
            let first = try await fixture.store.read(wave, of: fixture.facts, limit: 3)
            let leases = try await withThrowingTaskGroup(of: Lease?.self) { group in
                group.addTask { try await fixture.lease(first, of: wave) }
                group.addTask {
                    // The other looks again until the first half is leased, as dispatchers do.
                    while true {
                        let wave = try await fixture.wave()
                        let reading = try await fixture.other.read(wave, of: fixture.facts, limit: 3)
                        guard wave.cursor == DeviceNumber(rawValue: 3) else { continue }
                        return try await fixture.lease(reading, of: wave, byOther: true)
                    }
                }
                return try await group.reduce(into: [Lease]()) { leases, lease in
                    if let lease { leases.append(lease) }
                }
            }.sorted { $0.chunk.number < $1.chunk.number }
            try #require(leases.count == 2)

            async let one = fixture.store.commit(fixture.end(leases[0], accepted: 1...3))
            async let two = fixture.other.commit(fixture.end(leases[1], accepted: 4...6))
            let answers = try await [one, two]

            #expect(answers.count { $0 == .held(.sent) } == 1)
            #expect(answers.count { $0 == .held(.sending) } == 1)
            let left = try await fixture.overview()
            #expect(left.chunks.isEmpty && left.waves.isEmpty)
            #expect(try await fixture.funnel().accepted == 6)
            #expect(try await fixture.campaigns.campaign(fixture.campaign.id, within: nil)?.state == .sent)
        }
    }

    @Test("An abandoned Chunk is taken by one of two nodes, and its former holder is refused", arguments: rounds)
    func takesOverOnce(_ round: Int) async throws {
        try await withNodes(devices: 4) { fixture in
            let old = try await fixture.lease(limit: 10)
            try await fixture.store.begin(DispatcherSession(rawValue: 103), at: fixture.now)
            let seen = try #require(try await fixture.overview().chunks.first)

            async let one = fixture.store.lease(again: seen, for: DispatcherSession(rawValue: 103))
            async let two = fixture.other.lease(again: seen, for: fixture.otherSession)
            async let late = fixture.store.commit(fixture.commit(old, accepted: 1...2))
            let taken = try await [one, two].compactMap(\.self)
            let answer = try await late

            // It may have been first, and then its work counts.
            let count = answer == .refused ? 0 : 2
            #expect(taken.count <= 1)
            #expect(taken.count == 1 || answer != .refused)
            #expect(try await fixture.funnel().accepted == count)
            if let new = taken.first {
                #expect(try await fixture.store.commit(fixture.commit(old, accepted: 3...4)) == .refused)
                #expect(try await fixture.other.readRest(of: new, facts: fixture.facts).count == 4 - count)
            }
        }
    }

    @Test("A commit that opens a Wave locks the Campaign before it writes the Wave")
    func locksCampaignsFirst() async throws {
        try await withNodes(devices: 4) { fixture in
            var commit = fixture.commit(try await fixture.lease(limit: 10), accepted: 1...2)
            commit.waves = [fixture.later]
            let (held, hold) = AsyncStream.makeStream(of: Void.self)
            let runs = NIOLockedValueBox(0)
            async let answer = fixture.commit(commit, after: held)

            try await fixture.other.database.write(priority: .bulk) { connection in
                let run = runs.withLockedValue { runs in
                    runs += 1
                    return runs
                }
                try connection.lock(.campaign(fixture.campaign.id))
                guard run == 1 else { return }
                var waiting = try connection.first(Self.waiting) { $0.int(0) }
                hold.finish()
                while waiting == 0 { waiting = try connection.first(Self.waiting) { $0.int(0) } }
                // The session that has locked the Campaign opens the same Wave, and nobody may block it.
                try connection.execute(script: "SET LOCAL lock_timeout = 50")
                try connection.occurrences.openWave(
                    fixture.later,
                    of: fixture.facts.occurrence,
                    campaign: fixture.campaign.id,
                    app: fixture.app
                )
            }

            #expect(try await answer == .held(.sending))
            #expect(runs.withLockedValue { $0 } == 1)
        }
    }

    /// The number of sessions of this database that wait for a lock.
    private static let waiting: SQL = """
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    private func withNodes(devices: Int, _ body: (DeliveryFixture) async throws -> Void) async throws {
        try await withPostgreSQL { url in
            let first = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { first.close() }
            let second = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { second.close() }
            try await body(DeliveryFixture(first, devices: devices, other: second))
        }
    }
}

extension DeliveryFixture {
    /// Commits when the test allows it.
    fileprivate func commit(_ commit: ChunkCommit, after event: AsyncStream<Void>) async throws -> LeaseAnswer {
        for await _ in event {}
        return try await store.commit(commit)
    }

    fileprivate func end(_ lease: Lease, accepted: ClosedRange<Int64>) -> ChunkCommit {
        var commit = commit(lease, accepted: accepted)
        commit.ending = .isOver
        return commit
    }
}
