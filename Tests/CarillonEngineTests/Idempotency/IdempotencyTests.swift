import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite struct IdempotencyTests {
    private let answer = StoredAnswer(
        status: 201,
        contentType: "application/json",
        location: "/v1/apps/1",
        body: [1, 2]
    )

    @Test("The same request gets the same answer") func repeatsAnswers() async throws {
        let registry = try await Registry()

        #expect(try await registry.start() == .new)
        try await registry.create(answer: answer)

        #expect(try await registry.start() == .replay(answer))
        #expect(try await registry.start(fingerprint: [2]) == .mismatch)
        #expect(try await registry.start(principal: "q", fingerprint: [2]) == .new)
    }

    @Test("An answer may be empty") func acceptsEmptyAnswers() async throws {
        let registry = try await Registry()
        let empty = StoredAnswer(status: 204)

        try await registry.create(answer: empty)

        #expect(try await registry.start() == .replay(empty))
    }

    @Test("Concurrent requests with one key create one object") func createsOnce() async throws {
        let registry = try await Registry()
        try await registry.create(answer: answer)

        await #expect(throws: EngineError.store(.repeated)) {
            try await registry.create(answer: StoredAnswer(status: 500))
        }

        #expect(try await registry.appCount() == 1)
        #expect(try await registry.start() == .replay(answer))
    }

    @Test("A failed request can be repeated, also with another body") func repeatsFailedRequests() async throws {
        let registry = try await Registry()
        let key = registry.key("k", fingerprint: [1])
        let unknown = APIKeyRequest(name: "n", scopes: [.read])
        await #expect(throws: EngineError.notFound(.app)) {
            _ = try await registry.access.createKey(
                app: AppID(rawValue: 99),
                unknown,
                for: IdempotentRequest(key: key) { _ in answer }
            )
        }

        #expect(try await registry.start(fingerprint: [2]) == .new)
        try await registry.create(fingerprint: [2], answer: answer)

        #expect(try await registry.start(fingerprint: [2]) == .replay(answer))
    }

    @Test("A request whose answer cannot be encoded creates nothing") func requiresAnAnswer() async throws {
        let registry = try await Registry()

        await #expect(throws: EngineError.store(.failed("no answer"))) {
            _ = try await registry.apps.create(
                Registry.wanted,
                for: IdempotentRequest(key: registry.key("k")) { _ throws(StoreError) in throw .failed("no answer") }
            )
        }

        #expect(try await registry.appCount() == 0)
        #expect(try await registry.start() == .new)
    }

    @Test("A key is stored for 24 hours and then deleted") func expiresKeys() async throws {
        let registry = try await Registry()
        for index in 0..<20 { try await registry.create("old-\(index)", answer: answer) }

        registry.clock.advance(milliseconds: Idempotency.memory)
        #expect(try await registry.start("old-19") == .replay(answer))
        registry.clock.advance(milliseconds: 1)
        #expect(try await registry.start("old-19") == .new)
        try await registry.create("old-19", answer: answer)
        for index in 0..<3 { try await registry.create("new-\(index)", answer: answer) }

        let count = try await registry.database.read { connection in
            try connection.first("SELECT count(*) FROM idempotency_keys") { row in row.int(0) }
        }
        #expect(count == 4)
    }

    @Test("Of many concurrent requests one creates, and all get its answer") func sharesTheAnswer() async throws {
        let registry = try await Registry()

        let kept = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { (try? await registry.create(answer: answer)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }

        #expect(kept == 1)
        #expect(try await registry.appCount() == 1)
        #expect(try await registry.start() == .replay(answer))
    }

    @Test("A key that an earlier version left without an answer is not free for 24 hours")
    func reservesUnansweredKeys() async throws {
        let registry = try await Registry()
        let now = registry.clock.now()
        try await registry.database.write { connection in
            _ = try connection.run(
                """
                INSERT INTO idempotency_keys (principal, idempotency_key, fingerprint, started_at)
                VALUES ('p', 'k', $1, $2)
                """,
                [1] as [UInt8],
                now
            )
        }

        #expect(try await registry.start() == .inProgress)
        await #expect(throws: EngineError.store(.repeated)) { try await registry.create(answer: answer) }
        registry.clock.advance(milliseconds: Idempotency.memory + 1)
        try await registry.create(answer: answer)

        #expect(try await registry.start() == .replay(answer))
    }
}

extension Registry {
    fileprivate static var wanted: AppRequest {
        AppRequest(name: "Shop", bundleID: "com.example.shop", identity: .open)
    }

    fileprivate func key(
        _ key: String = "k",
        principal: String = "p",
        fingerprint: [UInt8] = [1]
    ) -> IdempotencyKey {
        idempotency.key(principal: principal, key: key, fingerprint: fingerprint)
    }

    fileprivate func start(
        _ text: String = "k",
        principal: String = "p",
        fingerprint: [UInt8] = [1]
    ) async throws -> IdempotencyStart {
        try await idempotency.start(key(text, principal: principal, fingerprint: fingerprint))
    }

    /// Creates an App under a key.
    fileprivate func create(_ text: String = "k", fingerprint: [UInt8] = [1], answer: StoredAnswer) async throws {
        let request = IdempotentRequest<AppSecrets>(key: key(text, fingerprint: fingerprint)) { _ in answer }
        _ = try await apps.create(Self.wanted, for: request)
    }

    fileprivate func appCount() async throws -> Int { try await apps.list(after: nil, limit: 100).items.count }
}
