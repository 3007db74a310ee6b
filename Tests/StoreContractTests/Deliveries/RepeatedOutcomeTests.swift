import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// A commit with some existing rows counts only the others.
struct RepeatedOutcomeTests {
    private func commitTwice(_ fixture: DeliveryFixture) async throws {
        let lease = try await fixture.lease(limit: 10)
        _ = try await fixture.store.commit(fixture.commit(lease, accepted: 1...3))
        // At the same instant, so that rows do not differ in time.
        var second = fixture.commit(lease, accepted: 2...6)
        second.reasons = [FailureReason(rawValue: "BadDeviceToken")]
        second.rows.append(
            ChunkCommit.Row(device: DeviceNumber(rawValue: 1), pushType: .apns, outcome: .failed, reason: 0)
        )
        second.rows.append(
            ChunkCommit.Row(device: DeviceNumber(rawValue: 7), pushType: .apns, outcome: .failed, reason: 0)
        )
        guard case .held = try await fixture.store.commit(second) else {
            Issue.record("The lease was refused.")
            return
        }
    }

    @Test("Repeating a partial commit counts only new rows", arguments: StoreKind.allCases)
    func countsNewRows(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 10) { fixture in
            try await commitTwice(fixture)

            let funnel = try await fixture.funnel()
            #expect(funnel.accepted == 6)
            #expect(funnel.failed == ["BadDeviceToken": 1])
            #expect(funnel.targeted == 7)
        }
    }

    @Test("A notification that was accepted before is in an inbox once", arguments: StoreKind.allCases)
    func writesInboxOnce(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 10) { fixture in
            try await fixture.run("UPDATE campaigns SET inbox = 1")
            try await commitTwice(fixture)

            let devices = try await fixture.database.read { connection in
                try connection.all(
                    "SELECT device_number FROM inbox_rows WHERE app_id = 7 ORDER BY device_number LIMIT 20"
                ) { $0.int64(0) }
            }
            #expect(devices == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("A commit of only new rows returns no row", arguments: StoreKind.allCases)
    func returnsNothing(_ kind: StoreKind) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            let fixture = try await DeliveryFixture(database, devices: 10)
            let lease = try await fixture.lease(limit: 10)
            recorder.reset()
            _ = try await fixture.store.commit(fixture.commit(lease, accepted: 1...10))

            let writes = recorder.statements.filter { $0.text.contains("INTO deliveries") }
            #expect(writes.count == 1)
            #expect(writes.allSatisfy { $0.rows == 0 && !$0.text.contains("RETURNING") && !$0.text.contains("WITH ") })
        }
    }
}
