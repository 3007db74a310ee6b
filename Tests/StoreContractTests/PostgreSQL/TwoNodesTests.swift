import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import NIOConcurrencyHelpers
import TestStores
import Testing

/// Two concurrent stores on one database: a value that one of them reads is valid until it writes.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct TwoNodesTests {
    private let now = Timestamp(rawValue: 1_700_000_000_000)

    @Test("Two nodes create the schema once") func createsTheSchemaOnce() async throws {
        try await withNodes(hasSchema: false) { first, second in
            async let one = Stores(migrating: first, now: now)
            async let other = Stores(migrating: second, now: now)
            _ = try await (one, other)

            let steps = try await first.read { connection in
                try connection.all("SELECT name FROM schema_migrations ORDER BY name") { $0.string(0) }
            }
            #expect(steps.count == Migration.all.count)
        }
    }

    @Test("A lock makes a read and a write atomic") func locksReads() async throws {
        try await withNodes { first, second in
            try await first.write { connection in
                try connection.execute(script: "CREATE TABLE n (value BIGINT NOT NULL); INSERT INTO n VALUES (0)")
            }

            try await atOnce(100, first, second) { database, _ in
                try await database.write { connection in
                    try connection.lock(.keys)
                    let value = try connection.first("SELECT value FROM n") { $0.int64(0) } ?? 0
                    try connection.send("UPDATE n SET value = $1", value + 1)
                }
            }

            let value = try await second.read { connection in
                try connection.first("SELECT value FROM n") { $0.int(0) }
            }
            #expect(value == 100)
        }
    }

    @Test("Writes that deadlock are run again until both are committed") func repeatsDeadlocks() async throws {
        try await withNodes { first, second in
            try await first.write { connection in
                try connection.execute(
                    script: "CREATE TABLE n (id BIGINT PRIMARY KEY, value BIGINT); INSERT INTO n VALUES (1, 0), (2, 0)"
                )
            }

            try await atOnce(4, first, second) { database, number in
                let rows: [Int64] = number.isMultiple(of: 2) ? [1, 2] : [2, 1]
                try await database.write(priority: .bulk) { connection in
                    for row in rows {
                        try connection.run("UPDATE n SET value = value + 1 WHERE id = $1", row)
                        _ = try connection.first("SELECT 1 FROM pg_sleep(0.05)") { $0.int(0) }
                    }
                }
            }

            let values = try await first.read { connection in
                try connection.all("SELECT value FROM n ORDER BY id") { $0.int(0) }
            }
            #expect(values == [4, 4])
        }
    }

    @Test("Writes that share a transaction end their wait for locks before the server looks for a deadlock")
    func groupsMeetBriefly() async throws {
        try await withNodes { first, second in
            try await first.write { connection in
                try connection.execute(script: "CREATE TABLE n (node BIGINT NOT NULL)")
            }
            let has = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
            let patience = NIOLockedValueBox<[[Int]]>([[], []])

            try await atOnce(2, first, second) { database, node in
                let locks = [WriteLock.keys, .app(AppID(rawValue: 7))]
                try await database.write { connection in
                    let time = try connection.first(
                        "SELECT CAST(setting AS BIGINT) FROM pg_settings WHERE name = 'lock_timeout'"
                    ) { $0.int(0) }
                    try connection.lock(locks[node])
                    try connection.run("INSERT INTO n (node) VALUES ($1)", node)
                    let isFirst = patience.withLockedValue { patience in
                        patience[node].append(time ?? 0)
                        return patience[node].count == 1
                    }
                    if isFirst {
                        // Each has what the other needs next.
                        has[node].signal()
                        has[1 - node].wait()
                    }
                    try connection.lock(locks[1 - node])
                }
            }

            let (nodes, deadlockTime) = try await first.read { connection in
                (
                    try connection.all("SELECT node FROM n ORDER BY node") { $0.int(0) },
                    try connection.first(
                        "SELECT CAST(setting AS BIGINT) FROM pg_settings WHERE name = 'deadlock_timeout'"
                    ) { $0.int(0) } ?? 0
                )
            }
            #expect(nodes == [0, 1])
            let times = patience.withLockedValue { $0 }
            #expect(times.allSatisfy { (1..<deadlockTime).contains($0.first ?? 0) })
            #expect(times.contains { $0.count > 1 })
        }
    }

    @Test("The same new key at the same time is written once and then found") func writesOnce() async throws {
        try await withNodes { first, second in
            try await first.write { connection in
                try connection.execute(script: "CREATE TABLE n (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)")
            }

            try await atOnce(20, first, second) { database, _ in
                try await database.write { connection in
                    let known = try connection.first("SELECT value FROM n WHERE id = 1") { $0.int64(0) }
                    if known == nil {
                        try connection.run("INSERT INTO n (id, value) VALUES (1, 1)")
                    } else {
                        try connection.run("UPDATE n SET value = value + 1 WHERE id = 1")
                    }
                }
            }

            let value = try await first.read { connection in
                try connection.first("SELECT value FROM n") { $0.int(0) }
            }
            #expect(value == 20)
        }
    }

    @Test("Of two nodes that renew a provider token one wins, and both send with it")
    func renewsTokensOnce() async throws {
        try await withStores { first, second in
            let stores = [first, second]
            let kept = try await withThrowingTaskGroup(of: SealedProviderToken.self) { group in
                for node in 0..<8 {
                    group.addTask {
                        try await stores[node % 2].providerTokens.replace(
                            ProviderKey(keyID: "K", teamID: "T", publicKeyHash: [1]),
                            issuedAt: nil,
                            with: SealedProviderToken(sealed: [UInt8(node)], issuedAt: Timestamp(rawValue: Int64(node)))
                        )
                    }
                }
                return try await group.reduce(into: Set<SealedProviderToken>()) { $0.insert($1) }
            }

            #expect(kept.count == 1)
        }
    }

    @Test("The first key is created once") func createsTheFirstKeyOnce() async throws {
        try await withStores { first, second in
            let stores = [first, second]
            let made = try await withThrowingTaskGroup(of: APIKeyID?.self) { group in
                for node in 0..<8 {
                    group.addTask {
                        let request = APIKeyRequest(name: "first", scopes: [.admin])
                        let id = APIKeyID(rawValue: Int64(node + 1))
                        let key = APIKey(id: id, app: nil, request: request, createdAt: now)
                        let stored = StoredAPIKey(key: key, secretHash: SecretHash(of: "\(node)"))
                        let unused = try await stores[node % 2].apiKeys.insertFirst(stored, sealedSecret: [1])
                        return unused?.key.id
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }

            #expect(made.count == 1)
            #expect(!made.contains(nil))
        }
    }

    @Test("Concurrent nodes never exceed the maximum number of tags") func limitsTags() async throws {
        try await withStores { first, second in
            let app = try await makeApp(first)
            let stores = [first, second]
            let added = try await withThrowingTaskGroup(of: TagInsertion.self) { group in
                for node in 0..<12 {
                    group.addTask {
                        let id = try #require(TagID(rawValue: "tag0000" + String(node, radix: 36)))
                        let tag = Tag(id: id, name: "\(node)", createdAt: now, updatedAt: now)
                        return try await stores[node % 2].tags.insert(tag, app: app, limit: 5)
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 == .added ? 1 : 0 }
            }

            #expect(added == 5)
        }
    }
}

extension TwoNodesTests {
    private func withNodes(
        hasSchema: Bool = true,
        _ body: (PostgreSQLDatabase, PostgreSQLDatabase) async throws -> Void
    ) async throws {
        try await withPostgreSQL(hasSchema: hasSchema) { url in
            let first = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { first.close() }
            let second = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { second.close() }
            try await body(first, second)
        }
    }

    private func withStores(_ body: (Stores, Stores) async throws -> Void) async throws {
        try await withNodes { first, second in
            try await body(Stores(migrating: first, now: now), Stores(migrating: second, now: now))
        }
    }

    /// Runs a closure on both nodes in turn, all concurrently.
    private func atOnce(
        _ count: Int,
        _ first: PostgreSQLDatabase,
        _ second: PostgreSQLDatabase,
        _ body: @escaping @Sendable (PostgreSQLDatabase, Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { try await body(number.isMultiple(of: 2) ? first : second, number) }
            }
            try await group.waitForAll()
        }
    }

    private func makeApp(_ stores: Stores) async throws -> AppID {
        let app = App(
            id: AppID(rawValue: 7),
            request: AppRequest(name: "a", bundleID: "b"),
            createdAt: now
        )
        let secrets = SealedAppSecrets(keyHash: SecretHash(of: "k"), identitySecret: [1], receiptKey: [2])
        try await stores.apps.insert(StoredApp(app: app, secrets: secrets))
        return app.id
    }
}
