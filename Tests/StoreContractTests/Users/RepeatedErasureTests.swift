import CarillonEngine
import CarillonModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// An erasure of a User that is requested again while one is running.
@Suite struct RepeatedErasureTests {
    private static let app = AppID(rawValue: 7)
    private static let user = UserID(rawValue: "u1")!
    private static let now = Timestamp(rawValue: 5)
    /// More than one step searches for one number.
    private static let occurrenceCount = 501

    /// An App whose User had a Device, number 42.
    private func prepare(_ database: any Database) async throws -> any UserStore {
        let stores = try await Stores(migrating: database, now: Timestamp(rawValue: 1))
        let rows = (1...Self.occurrenceCount).map { "(7, \($0), 1, 100, 0, 0, 1, \($0))" }
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                    VALUES (7, 'Shop', 'com.example.shop', 'open', 0, 100);
                    INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk,
                        slot)
                    VALUES \(rows.joined(separator: ", "));
                    """
            )
            try connection.devices.insertFormerNumber(
                app: Self.app,
                number: DeviceNumber(rawValue: 42),
                device: DeviceID(rawValue: UUID()),
                user: Self.user,
                at: Timestamp(rawValue: 0)
            )
        }
        return stores.users
    }

    /// Saves an outcome of a notification to the Device.
    private func addDelivery(_ database: any Database) async throws {
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                    VALUES (7, 1, 42, 1, 1, 0, 0)
                    """
            )
        }
    }

    private func deliveryCount(_ database: any Database) async throws -> Int? {
        try await database.read { connection in
            try connection.first("SELECT count(*) FROM deliveries WHERE app_id = 7") { $0.int(0) }
        }
    }

    private func eraseDeliveries(_ erasure: PendingErasure, _ users: any UserStore) async throws {
        var last: OccurrenceID?
        repeat { last = try await users.eraseDeliveries(for: erasure, after: last) } while last != nil
    }

    @Test(
        "S1-M5 an erasure that is requested again is not completed by the former one",
        arguments: StoreKind.allCases,
        [false, true]
    )
    func isNotEndedByTheFormer(_ kind: StoreKind, areCampaignsDone: Bool) async throws {
        try await kind.withDatabase { database in
            let users = try await prepare(database)
            let first = try await users.beginErasure(of: Self.user, app: Self.app, at: Self.now)
            #expect(try await users.redactCampaigns(for: first, after: nil, at: Self.now) == nil)
            try await eraseDeliveries(first, users)
            // Rows that appear behind the first erasure belong to the second, requested in the same millisecond.
            try await addDelivery(database)
            let second = try await users.beginErasure(of: Self.user, app: Self.app, at: Self.now)
            if areCampaignsDone { _ = try await users.redactCampaigns(for: second, after: nil, at: Self.now) }

            #expect(try await !users.eraseRest(of: first))

            let pending = try await users.pendingErasures(limit: 10)
            #expect(pending.map(\.requestedAt) == [second.requestedAt])
            try await eraseDeliveries(second, users)
            #expect(try await deliveryCount(database) == 0)
            #expect(try await users.eraseRest(of: second))
            #expect(try await users.pendingErasures(limit: 10) == [])
            #expect(try await !users.hasTraces(of: Self.user, app: Self.app))
            // Another node may have worked on it too.
            #expect(try await !users.eraseRest(of: second))
        }
    }

    @Test(
        "S1-M5 the progress of an erasure does not apply to one requested later",
        arguments: StoreKind.allCases
    )
    func keepsPlaces(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let users = try await prepare(database)
            let first = try await users.beginErasure(of: Self.user, app: Self.app, at: Self.now)
            #expect(try await users.pendingErasures(limit: 10) == [first])
            let second = try await users.beginErasure(of: Self.user, app: Self.app, at: Self.now)

            _ = try await users.redactCampaigns(for: first, after: nil, at: Self.now)
            #expect(try await users.eraseDeliveries(for: first, after: nil) != nil)
            #expect(try await users.pendingErasures(limit: 10) == [second])

            _ = try await users.redactCampaigns(for: second, after: nil, at: Self.now)
            let last = try await users.eraseDeliveries(for: second, after: nil)
            let pending = try #require(try await users.pendingErasures(limit: 10).first)
            #expect(pending.areCampaignsDone && pending.lastOccurrence == last && last != nil)
        }
    }
}
