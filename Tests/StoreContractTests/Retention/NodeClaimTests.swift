import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// Claims on work that one node does at a time.
struct NodeClaimTests {
    private let now = Timestamp(rawValue: 1_800_000_000_000)

    @Test("One node has a claim until its time is over, or longer if it renews it", arguments: StoreKind.allCases)
    func isExclusive(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let store = try await Stores(migrating: database, now: now).retention
            func claim(_ owner: Int64, after seconds: Int) async throws -> Bool {
                let start = now.advanced(by: .seconds(seconds))
                return try await store.claim("work", owner: owner, at: start, until: start.advanced(by: .seconds(300)))
            }

            #expect(try await claim(1, after: 0))
            #expect(try await !claim(2, after: 299))
            #expect(try await claim(1, after: 299))
            #expect(try await !claim(2, after: 598))
            #expect(try await claim(2, after: 599))
        }
    }

    @Test("A claim of a node whose clock was far ahead does not block others", arguments: StoreKind.allCases)
    func ofWrongClock(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let store = try await Stores(migrating: database, now: now).retention
            let wrong = now.advanced(by: .seconds(86_400 * 365))
            _ = try await store.claim("work", owner: 1, at: wrong, until: wrong.advanced(by: .seconds(300)))

            #expect(try await store.claim("work", owner: 2, at: now, until: now.advanced(by: .seconds(300))))
        }
    }
}
