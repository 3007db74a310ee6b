import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import NIOConcurrencyHelpers
import Testing

@testable import CarillonStore

/// The content of a message to a webhook, and its cost.
struct WebhookOutboxTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)
    private static let app = AppID(rawValue: 1)
    private static let id = WebhookID(rawValue: 7)

    @Test("A message needs as many statements for 900 rows as for 3", arguments: StoreKind.allCases)
    func costsTheSame(_ kind: StoreKind) async throws {
        var counts: [Int] = []
        for rows in [3, 900] {
            try await kind.withDatabase { database in
                let counting = CountingDatabase(try await Stores(migrating: database, now: Self.now).database)
                try await Self.fill(database, rows: rows)
                let outbox = WebhookOutboxRepository(database: counting)
                let due = try #require(try await outbox.dueWebhooks(at: Self.now, limit: 10).first)
                counting.reset()

                let work = try #require(
                    try await outbox.claim(due, as: WebhookMessageID(rawValue: 1), at: Self.now)
                )
                let completed = try await outbox.complete(
                    work,
                    .taken,
                    next: WebhookMessageID(rawValue: 2),
                    at: Self.now
                )

                #expect(work.items.count == rows)
                #expect(completed.isKept && completed.next == nil)
                counts.append(counting.count)
            }
        }
        #expect(counts.count == 2 && counts.first == counts.last, "\(counts)")
    }

    @Test("A message has the oldest rows, up to a maximum number of items", arguments: StoreKind.allCases)
    func boundsMessages(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let outbox = WebhookOutboxRepository(
                database: try await Stores(migrating: database, now: Self.now).database
            )
            try await Self.fill(database, rows: 2_300)
            var due = try #require(try await outbox.dueWebhooks(at: Self.now, limit: 10).first)
            var sizes: [Int] = []
            var order: [Timestamp] = []
            for message in 1...4 {
                guard
                    let work = try await outbox.claim(
                        due,
                        as: WebhookMessageID(rawValue: Int64(message)),
                        at: Self.now
                    )
                else { break }
                sizes.append(work.items.count)
                order += work.items.map(\.at)
                _ = try await outbox.complete(work, .taken, next: nil, at: Self.now)
                due.fence = work.fence
            }

            #expect(sizes == [1_000, 1_000, 300])
            #expect(order == order.sorted())
            #expect(try await outbox.dueWebhooks(at: Self.now, limit: 10).isEmpty)
        }
    }

    @Test(
        "A webhook completed and claimed in one transaction is delivered to by one node at a time",
        arguments: StoreKind.allCases
    )
    func claims(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let outbox = WebhookOutboxRepository(
                database: try await Stores(migrating: database, now: Self.now).database
            )
            try await Self.fill(database, rows: 1_500)
            let due = try #require(try await outbox.dueWebhooks(at: Self.now, limit: 10).first)
            #expect(!due.isHeld)
            let first = try #require(
                try await outbox.claim(due, as: WebhookMessageID(rawValue: 1), at: Self.now)
            )

            #expect(try await outbox.claim(due, as: WebhookMessageID(rawValue: 2), at: Self.now) == nil)
            let held = try #require(try await outbox.dueWebhooks(at: Self.now, limit: 10).first)
            #expect(held.isHeld && held.fence == first.fence)
            let completed = try await outbox.complete(first, .taken, next: WebhookMessageID(rawValue: 3), at: Self.now)
            let second = try #require(completed.next)
            #expect(second.items.count == 500 && second.fence == first.fence + 1)
            // Another node saw an unchanged fence; it has changed since.
            #expect(try await outbox.claim(held, as: WebhookMessageID(rawValue: 4), at: Self.now) == nil)
            var dead = held
            dead.fence = second.fence
            let taken = try #require(
                try await outbox.claim(dead, as: WebhookMessageID(rawValue: 5), at: Self.now)
            )
            #expect(taken.message.id == second.message.id)
            #expect(try await !outbox.complete(second, .taken, next: nil, at: Self.now).isKept)
            #expect(try await outbox.complete(taken, .taken, next: nil, at: Self.now).isKept)
        }
    }

    @Test("The backlog waits since the server noted it, whenever its events were", arguments: StoreKind.allCases)
    func measuresBacklogs(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: Self.now)
            let webhooks = WebhookRepository(database: stores.database)
            let outbox = WebhookOutboxRepository(database: stores.database)
            #expect(try await webhooks.backlog() == WebhookBacklog())
            try await Self.fill(database, rows: 3)
            // Rows of an earlier version have no such time.
            #expect(try await webhooks.backlog().waitingSince == nil)
            try await database.write { connection in
                try connection.execute(script: "UPDATE webhook_outbox SET noted_at = \(Self.now.rawValue + 500) + id")
            }
            #expect(try await webhooks.backlog().waitingSince == Self.now.advanced(by: .milliseconds(501)))

            let due = try #require(try await outbox.dueWebhooks(at: Self.now, limit: 10).first)
            let later = Self.now.advanced(by: .seconds(60))
            let work = try #require(try await outbox.claim(due, as: WebhookMessageID(rawValue: 1), at: later))
            #expect(try await webhooks.backlog().waitingSince == later)
            _ = try await outbox.complete(work, .dead(resumeAt: later, status: 500, error: nil), next: nil, at: later)
            var dead = WebhookBacklog()
            dead.dead = 1
            #expect(try await webhooks.backlog() == dead)
            try await database.write { connection in
                try connection.execute(script: "UPDATE webhooks SET alarm = 'x', is_active = 0")
            }
            dead.disabled = 1
            #expect(try await webhooks.backlog() == dead)
        }
    }

    /// A webhook with waiting events of one Occurrence.
    private static func fill(_ database: any Database, rows: Int) async throws {
        try await database.write { connection in
            try connection.run(
                """
                INSERT INTO webhooks (app_id, id, url, topics, is_active, secret, failures, resume_at, created_at, fence)
                VALUES ($1, $2, 'https://a/', $3, 1, $4, 0, 0, $5, 0)
                """,
                app,
                id,
                WebhookTopics.events.rawValue,
                [] as [UInt8],
                now
            )
            for row in 1...rows {
                let at = now.advanced(by: .milliseconds(row))
                try connection.run(
                    """
                    INSERT INTO events (app_id, occurrence_id, device_number, kind, action, occurred_at)
                    VALUES ($1, 5, $2, $3, '', $4)
                    """,
                    app,
                    row,
                    Event.Kind.opened.code,
                    at
                )
                try connection.run(
                    """
                    INSERT INTO webhook_outbox (app_id, webhook_id, at, id, kind, count, occurrence_id, devices,
                        event_kind, action)
                    VALUES ($1, $2, $3, $4, 2, 1, 5, $5, $6, '')
                    """,
                    app,
                    id,
                    at,
                    row,
                    DeviceList.write([Int64(row)]),
                    Event.Kind.opened.code
                )
            }
        }
    }
}

/// A database that counts its statements.
private final class CountingDatabase: Database {
    private let database: any Database
    private let counted = NIOLockedValueBox(0)

    init(_ database: any Database) { self.database = database }

    var count: Int { counted.withLockedValue { $0 } }
    var dialect: Dialect { database.dialect }

    func reset() { counted.withLockedValue { $0 = 0 } }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let counted = counted
        return try await database.read { connection in
            try body(CountingConnection(connection, counted))
        }
    }

    func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let counted = counted
        return try await database.write(priority: priority) { connection in
            try body(CountingConnection(connection, counted))
        }
    }

    func close() { database.close() }
}

private final class CountingConnection: SQLConnection {
    private let inner: any SQLConnection
    private let counted: NIOLockedValueBox<Int>

    init(_ inner: any SQLConnection, _ counted: NIOLockedValueBox<Int>) {
        self.inner = inner
        self.counted = counted
    }

    var dialect: Dialect { inner.dialect }
    var changedRowCount: Int { inner.changedRowCount }

    func prepare(_ sql: SQL) throws(StoreError) -> any SQLStatement {
        counted.withLockedValue { $0 += 1 }
        return try inner.prepare(sql)
    }

    func prepare(_ sql: ComposedSQL) throws(StoreError) -> any SQLStatement {
        counted.withLockedValue { $0 += 1 }
        return try inner.prepare(sql)
    }

    func lock(_ lock: WriteLock) throws(StoreError) { try inner.lock(lock) }
    func lock(_ locks: Set<WriteLock>) throws(StoreError) { try inner.lock(locks) }
    func execute(script: String) throws(StoreError) { try inner.execute(script: script) }
}
