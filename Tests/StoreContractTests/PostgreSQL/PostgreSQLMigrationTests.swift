import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import TestStores
import TestSupport
import Testing

@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct PostgreSQLMigrationTests {
    private let now = Timestamp(rawValue: 1_700_000_000_000)

    @Test("A file moves while it is written to, without losing a row") func movesLiveFiles() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "store.sqlite").path
            let source = try SQLiteDatabase(path: path)
            let fixture = try await DeliveryFixture(source, devices: 200)
            let lease = try await fixture.lease(limit: 100)
            _ = try await fixture.store.commit(fixture.commit(lease, accepted: 1...50))

            try await withPostgreSQL(hasSchema: false) { url in
                let (steps, step) = AsyncStream.makeStream(of: PostgreSQLMigration.Progress.self)
                let move = PostgreSQLMigration(path: path, target: url) { step.yield($0) }
                async let counts = {
                    // A failed move reports nothing more.
                    defer { step.finish() }
                    return try await move.run(now: now)
                }()
                var isFirst = true
                for await progress in steps {
                    if isFirst {
                        // While it copies: rows are added, change their key and are deleted.
                        isFirst = false
                        try await fixture.run("UPDATE devices SET number = number + 1000 WHERE number <= 20")
                        try await fixture.run("DELETE FROM devices WHERE number BETWEEN 21 AND 30")
                        try await fixture.addDevices(201...255)
                        _ = try await fixture.store.commit(fixture.commit(lease, accepted: 51...100))
                    }
                    if progress == .waitsForServer { break }
                }
                try await fixture.run("UPDATE devices SET language = 'ja' WHERE number = 100")
                source.close()

                let moved = Dictionary(uniqueKeysWithValues: try await counts.map { ($0.table, $0.found) })

                #expect(moved["devices"] == 245)
                #expect(moved["deliveries"] == 100)
                // Rows are in the partitions of their weeks.
                let inDefault = try await {
                    let target = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
                    defer { target.close() }
                    return try await target.read { connection in
                        try connection.first("SELECT count(*) FROM deliveries_rest") { $0.int(0) }
                    }
                }()
                #expect(inDefault == 0)
                let target = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
                defer { target.close() }
                let found = try await target.read { connection in
                    try connection.first(
                        """
                        SELECT COUNT(*), SUM(number), (SELECT language FROM devices WHERE number = 100),
                            (SELECT token FROM devices WHERE number = 1001)
                        FROM devices
                        """
                    ) { ($0.int(0), $0.int(1), $0.string(2), $0.array(3)) }
                }
                let sum = (31...255).reduce(0, +) + (1_001...1_020).reduce(0, +)
                #expect(found?.0 == 245)
                #expect(found?.1 == sum)
                #expect(found?.2 == "ja")
                #expect(found?.3 == fixture.token(1))
                let stores = try await Stores(migrating: target, now: now)
                #expect(try await stores.campaigns.funnel(of: fixture.campaign).accepted == 100)
            }

            // The file cannot be served any more by mistake.
            let reopened = try SQLiteDatabase(path: path)
            defer { reopened.close() }
            await #expect(throws: StoreError.self) { try await Stores(migrating: reopened, now: now) }
        }
    }

    @Test("A database with rows is not changed, and neither is the file") func refusesUsedDatabases() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "store.sqlite").path
            let source = try SQLiteDatabase(path: path)
            _ = try await DeliveryFixture(source, devices: 2)
            source.close()
            try await withPostgreSQL { url in
                let target = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
                _ = try await DeliveryFixture(target, devices: 3)
                target.close()

                await #expect(throws: StoreError.self) {
                    try await PostgreSQLMigration(path: path, target: url).run(now: now)
                }
            }

            let reopened = try SQLiteDatabase(path: path)
            defer { reopened.close() }
            _ = try await Stores(migrating: reopened, now: now)
            let triggers = try await reopened.read { connection in
                try connection.first("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") { $0.int(0) }
            }
            #expect(triggers == 0)
        }
    }
}
