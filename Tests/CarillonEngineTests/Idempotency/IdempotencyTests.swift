import CarillonEngine
import CarillonModel
import CarillonStore
import Testing

@Suite struct IdempotencyTests {
    private let answer = StoredAnswer(
        status: 201,
        contentType: "application/json",
        location: "/v1/apps/1",
        body: [1, 2]
    )

    @Test func `the same request gets the same answer`() async throws {
        let registry = try await Registry()
        let keys = registry.idempotency

        #expect(try await keys.begin(principal: "p", key: "k", fingerprint: [1]) == .new)
        #expect(try await keys.begin(principal: "p", key: "k", fingerprint: [1]) == .inProgress)
        try await keys.finish(principal: "p", key: "k", answer: answer)

        #expect(try await keys.begin(principal: "p", key: "k", fingerprint: [1]) == .replay(answer))
        #expect(try await keys.begin(principal: "p", key: "k", fingerprint: [2]) == .mismatch)
        #expect(try await keys.begin(principal: "q", key: "k", fingerprint: [2]) == .new)
    }

    @Test func `an answer may be empty`() async throws {
        let registry = try await Registry()
        let empty = StoredAnswer(status: 204)
        _ = try await registry.idempotency.begin(principal: "p", key: "k", fingerprint: [1])

        try await registry.idempotency.finish(principal: "p", key: "k", answer: empty)

        #expect(try await registry.idempotency.begin(principal: "p", key: "k", fingerprint: [1]) == .replay(empty))
    }

    @Test func `a request that failed may be tried again, one that was answered may not be forgotten`() async throws {
        let registry = try await Registry()
        let keys = registry.idempotency
        _ = try await keys.begin(principal: "p", key: "k", fingerprint: [1])

        try await keys.abandon(principal: "p", key: "k")
        #expect(try await keys.begin(principal: "p", key: "k", fingerprint: [2]) == .new)
        try await keys.finish(principal: "p", key: "k", answer: answer)
        try await keys.abandon(principal: "p", key: "k")

        #expect(try await keys.begin(principal: "p", key: "k", fingerprint: [2]) == .replay(answer))
    }

    @Test func `a key is known for 24 hours and then its row is gone`() async throws {
        let registry = try await Registry()
        let keys = registry.idempotency
        for index in 0..<20 { _ = try await keys.begin(principal: "p", key: "old-\(index)", fingerprint: [1]) }
        try await keys.finish(principal: "p", key: "old-19", answer: answer)

        registry.clock.advance(milliseconds: Idempotency.memory)
        #expect(try await keys.begin(principal: "p", key: "old-19", fingerprint: [1]) == .replay(answer))
        registry.clock.advance(milliseconds: 1)
        #expect(try await keys.begin(principal: "p", key: "old-19", fingerprint: [2]) == .new)
        for index in 0..<3 { _ = try await keys.begin(principal: "p", key: "new-\(index)", fingerprint: [1]) }

        let count = try await registry.database.read { connection throws(StoreError) in
            try connection.first("SELECT count(*) FROM idempotency_keys") { row in row.int(0) }
        }
        #expect(count == 4)
    }

    @Test func `of many at the same time one is new`() async throws {
        let registry = try await Registry()

        let starts = try await withThrowingTaskGroup(of: IdempotencyStart.self) { group in
            for _ in 0..<50 {
                group.addTask { try await registry.idempotency.begin(principal: "p", key: "k", fingerprint: [1]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(starts.count { $0 == .new } == 1)
        #expect(starts.count { $0 == .inProgress } == 49)
    }
}
