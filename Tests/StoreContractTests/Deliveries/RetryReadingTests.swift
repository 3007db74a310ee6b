import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

/// Tens of thousands of retries are read in steps.
struct RetryReadingTests {
    private static let count = 30_000
    private static let limit = 5_000

    @Test("The driver reads no more retries than requested", arguments: StoreKind.allCases)
    func takesPortion(_ kind: StoreKind) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            let fixture = try await DeliveryFixture(database, devices: 1)
            try await ManyRows.addRetries(Self.count, of: fixture.facts.occurrence, to: database)
            recorder.reset()

            let reading = try await fixture.store.readRetries(of: fixture.facts, dueAt: fixture.now, limit: Self.limit)

            #expect((Self.limit...Self.limit + PushType.allCases.count).contains(reading.recipients.count))
            #expect(!reading.isLast)
            #expect(recorder.mostRows <= Self.limit + PushType.allCases.count)
        }
    }

    @Test("A Campaign with many retries is cancelled in steps", arguments: StoreKind.allCases)
    func cancelsInPortions(_ kind: StoreKind) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            let fixture = try await DeliveryFixture(database, devices: 1)
            _ = try await fixture.lease(try await fixture.read(try await fixture.wave(), limit: 10), of: fixture.wave())
            try await ManyRows.addRetries(Self.count, of: fixture.facts.occurrence, to: database)
            // The Chunk of the one Device is complete, and only waiting retries are left.
            try await fixture.run("DELETE FROM chunks")
            try await fixture.run("UPDATE occurrences SET state = 'cancelling'")
            try await fixture.run("UPDATE campaigns SET state = 'cancelling'")
            try await fixture.run("UPDATE waves SET wake_at = 0, retry_at = 0")
            recorder.reset()

            var (rounds, closed) = (0, 0)
            while let wave = try await fixture.overview().waves.first {
                rounds += 1
                try #require(rounds <= 1 + Self.count / Self.limit, "It does not end.")
                let reading = try await fixture.store.readRetries(of: fixture.facts, dueAt: nil, limit: Self.limit)
                let lease = try await fixture.store.leaseRetries(
                    reading,
                    of: wave,
                    at: fixture.now,
                    for: fixture.session
                )
                var commit = ChunkCommit(lease: try #require(lease), at: fixture.now)
                commit.ending = .isOver
                commit.reasons = [FailureReason(rawValue: "Cancelled")]
                commit.rows = reading.recipients.numbers.map { device in
                    ChunkCommit.Row(device: device, pushType: .apns, outcome: .expired)
                }
                closed += commit.rows.count
                _ = try await fixture.store.commit(commit)
            }

            #expect(closed == Self.count)
            let state = try await fixture.campaigns.campaign(fixture.campaign.id, within: nil)?.state
            #expect(state == .cancelled)
            #expect(recorder.mostRows <= Self.limit + PushType.allCases.count)
            guard kind == .postgreSQL else { return }
            // Without statistics a nested loop would compare each retry with each one of a commit.
            func runs(_ part: String) -> Int {
                recorder.statements.filter { $0.text.contains(part) }.reduce(0) { $0 + $1.runs }
            }
            let closings = runs("DELETE FROM retries AS r")
            #expect(closings > 0)
            #expect(runs("'enable_nestloop', 'off'") == closings)
            #expect(runs("'enable_nestloop', 'on'") == closings)
        }
    }

    @Test("The rest of a lost Chunk of retries is read in steps", arguments: StoreKind.allCases)
    func readsRest(_ kind: StoreKind) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            let fixture = try await DeliveryFixture(database, devices: 1)
            try await ManyRows.addRetries(12_000, of: fixture.facts.occurrence, to: database)
            let chunk = ChunkKey(app: fixture.app, occurrence: fixture.facts.occurrence, number: 1)
            let end = RetryPosition(dueAt: fixture.now, device: DeviceNumber(rawValue: .max))
            let range = ChunkRange.retries(after: .start, through: end)
            let lease = Lease(chunk: chunk, campaign: fixture.campaign.id, range: range, fence: 1)
            recorder.reset()

            let rest = try await fixture.store.readRest(of: lease, facts: fixture.facts)

            #expect(rest.numbers.map(\.rawValue) == Array(1...12_000))
            #expect(recorder.mostRows <= Self.limit + PushType.allCases.count)
        }
    }
}
