import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// What a deleted App's rows mean to those who read them before they are removed.
extension AppDeletionStoreTests {
    @Test("Nothing of a deleted App is leased, and no commit of what was leased is kept", arguments: StoreKind.allCases)
    func work(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 3) { fixture in
            let deletions = AppDeletionRepository(database: fixture.database)
            let lease = try await fixture.lease(limit: 1)
            let wave = try await fixture.wave()
            let reading = try await fixture.read(wave, limit: 1)

            #expect(try await deletions.delete(fixture.app, at: fixture.now) == [fixture.campaign.id])

            let overview = try await fixture.overview(at: fixture.later)
            #expect(overview.waves.isEmpty && overview.chunks.isEmpty && overview.dueCampaigns.isEmpty)
            #expect(try await fixture.store.wave(wave, at: fixture.later) == nil)
            #expect(try await fixture.lease(reading, of: wave) == nil)
            #expect(try await fixture.store.facts(of: fixture.facts.occurrence, app: fixture.app) == nil)

            _ = try await removeAll(deletions, onlyWork: true)
            let answer = try await fixture.store.commit(fixture.commit(lease, accepted: 1...1))
            #expect(answer == .refused)
            #expect(try await count("deliveries", fixture.app, fixture.database) == 0)
        }
    }

    @Test("What belongs to a deleted App is not found by its id or in lists of all", arguments: StoreKind.allCases)
    func lookUps(_ kind: StoreKind) async throws {
        try await kind.withDeliveries(devices: 1) { fixture in
            let stores = Stores(on: fixture.database)
            let columns = try await tables(fixture.database)
            for table in ["audiences", "statistics_ids"] {
                try await fill(table, try #require(columns[table]), fixture.app, rows: 1, fixture.database)
            }
            let key = StatisticsID(rawValue: 700_001)
            #expect(try await stores.statistics.key(key, within: nil) != nil)
            _ = try await stores.appDeletions.delete(fixture.app, at: fixture.now)

            #expect(try await stores.campaigns.campaign(fixture.campaign.id, within: nil) == nil)
            #expect(try await stores.campaigns.list(app: nil, after: nil, limit: 10).isEmpty)
            #expect(try await stores.audiences.audiences(app: nil, after: nil, limit: 10).isEmpty)
            #expect(try await stores.statistics.key(key, within: nil) == nil)
            #expect(try await stores.statistics.keys(app: nil, after: nil, limit: 10).isEmpty)
            #expect(try await stores.apps.app(fixture.app) == nil)
            #expect(try await stores.apps.apps(after: nil, limit: 10).isEmpty)
        }
    }

    @Test(
        "No App gets the id of a deleted one, and its deletion is listed until a day after its end",
        arguments: StoreKind.allCases
    )
    func mark(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: Self.now)
            try await addApps(database)
            let store = stores.appDeletions
            #expect(try await !store.isDeleted(Self.app))
            _ = try await store.delete(Self.app, at: Self.now)
            #expect(try await store.isDeleted(Self.app))
            #expect(try await !store.isDeleted(Self.other))

            let secrets = SealedAppSecrets(keyHash: SecretHash(of: "7"), identitySecret: [1], receiptKey: [2])
            let again = App(id: Self.app, request: AppRequest(name: "x", bundleID: "x"), createdAt: Self.now)
            await #expect(throws: StoreError.self) {
                try await stores.apps.insert(StoredApp(app: again, secrets: secrets))
            }

            let end = Self.now.advanced(by: .seconds(90))
            try await store.finish(Self.app, at: end)
            try await store.finish(Self.app, at: end.advanced(by: .seconds(1)))
            let deletion = AppDeletion(app: Self.app, deletedAt: Self.now, finishedAt: end)
            #expect(try await store.deletions(finishedAfter: Self.now, limit: 10) == [deletion])
            #expect(try await store.deletions(finishedAfter: end, limit: 10).isEmpty)
            #expect(try await store.isDeleted(Self.app))
        }
    }
}
