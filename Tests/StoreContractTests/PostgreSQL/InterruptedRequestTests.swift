import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// The result of a request with an idempotency key when its commit is in doubt.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct InterruptedRequestTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)

    @Test(
        "A Campaign whose commit is in doubt exists once after its request is repeated",
        arguments: CuttingRelay.Loss.allCases
    )
    func createsOnce(_ loss: CuttingRelay.Loss) async throws {
        try await TestPostgreSQL.withDatabase { url, direct in
            let app = try await Self.makeApp(direct)
            let components = try #require(URLComponents(string: url))
            let relay = try await CuttingRelay(to: components.port ?? 5_432)
            var options = TestPostgreSQL.options
            (options.servingWriterCount, options.bulkWriterCount, options.readerCount) = (1, 1, 1)
            let database = try PostgreSQLDatabase(try relayed(components, relay), options: options)
            defer { database.close() }
            let armed = NIOLockedValueBox(true)
            let campaigns = CampaignRepository(
                database: ObservedDatabase(database) { connection in
                    let client = try connection.first("SELECT inet_client_port()") { $0.int(0) }
                    // Everything is answered; the commit is next.
                    guard armed.withLockedValue({ exchange(&$0, false) }) else { return }
                    relay.loseAll(from: loss, of: client ?? 0)
                }
            )
            let keys = Idempotency(store: IdempotencyRepository(database: database), clock: FixedClock(Self.now))
            let key = keys.key(principal: "p", key: "k", fingerprint: [1])
            func create(_ id: Int64) async throws {
                let request = IdempotentRequest<Campaign>(key: key) { StoredAnswer(status: 201, location: "\($0.id)") }
                #expect(try await campaigns.insert(Self.campaign(id, app), for: request) != nil)
            }

            // Neither the commit's answer nor the check of its outcome gets through.
            await #expect(throws: StoreError.self) { try await create(1) }
            relay.carry()
            let answer = try await repeatUntilAnswered(keys, key) { try await create(2) }

            let kept = try await direct.read { connection in
                try connection.all("SELECT id FROM campaigns") { CampaignID(rawValue: $0.int64(0)) }
            }
            #expect(kept.count == 1)
            #expect(answer.location == kept.first.map { "\($0)" })
            try await relay.close()
        }
    }

    // MARK: - What the tests are made of

    /// Repeats a request until the store answers, as a client does.
    private func repeatUntilAnswered(
        _ keys: Idempotency,
        _ key: IdempotencyKey,
        _ create: () async throws -> Void
    ) async throws -> StoredAnswer {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            do {
                switch try await keys.start(key) {
                case .replay(let answer): return answer
                case .new: try await create()
                case .mismatch, .inProgress: Issue.record("The key is neither free nor answered.")
                }
            } catch EngineError.store(.unavailable) {
            } catch StoreError.unavailable {
            } catch StoreError.repeated {
            }
        }
        throw StoreError.unavailable("The store did not come back.")
    }

    private func relayed(_ components: URLComponents, _ relay: CuttingRelay) throws -> String {
        var components = components
        components.host = "127.0.0.1"
        components.port = relay.port
        return try #require(components.string)
    }

    private static func makeApp(_ database: any Database) async throws -> AppID {
        let app = App(
            id: AppID(rawValue: 1),
            request: AppRequest(name: "Shop", bundleID: "com.example.shop"),
            createdAt: now
        )
        let secrets = SealedAppSecrets(keyHash: SecretHash(of: "k"), identitySecret: [], receiptKey: [])
        try await AppRepository(database: database).insert(StoredApp(app: app, secrets: secrets), for: nil)
        return app.id
    }

    private static func campaign(_ id: Int64, _ app: AppID) -> NewCampaign {
        let message = Message(content: [Message.defaultLanguage: LocalizedContent(body: "b")])
        let request = CampaignRequest(audience: .all, message: message)
        return NewCampaign(
            campaign: Campaign(
                id: CampaignID(rawValue: id),
                app: app,
                request: request,
                state: .sending,
                createdAt: now
            ),
            retryFor: .seconds(60),
            isTest: false,
            inbox: InboxPlacement(request, isTest: false),
            occurrence: OccurrenceID(milliseconds: now.rawValue, sequence: UInt32(id))
        )
    }
}

private func exchange(_ value: inout Bool, _ new: Bool) -> Bool {
    defer { value = new }
    return value
}

private struct FixedClock: WallClock {
    let time: Timestamp

    init(_ time: Timestamp) { self.time = time }

    func now() -> Timestamp { time }
}

/// A database that signals when a write has done its work and is about to be committed.
private struct ObservedDatabase: Database {
    let database: any Database
    let beforeCommit: @Sendable (any SQLConnection) throws -> Void

    init(
        _ database: any Database,
        beforeCommit: @escaping @Sendable (any SQLConnection) throws -> Void
    ) {
        self.database = database
        self.beforeCommit = beforeCommit
    }

    var dialect: Dialect { database.dialect }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value { try await database.read(body) }

    func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let beforeCommit = beforeCommit
        return try await database.write(priority: priority) { connection in
            let value = try body(connection)
            try beforeCommit(connection)
            return value
        }
    }

    func close() { database.close() }
}
