import CarillonContentSets
import CarillonModel
import NIOConcurrencyHelpers
import StoreErrors
import Testing

@testable import CarillonContentJobs

/// Real-time data in memory.
@Suite(.timeLimit(.minutes(1)))
struct FeedCacheTests {
    private static let feed = ContentFeed(format: .gtfsRealtime, fetchedAt: Timestamp(rawValue: 1), body: [])

    private func key(_ set: Int, at time: Int64 = 1) -> FeedCache.Key {
        FeedCache.Key(app: AppID(rawValue: 1), set: "set\(set)", name: "live", fetchedAt: Timestamp(rawValue: time))
    }

    @Test("Those who ask while a feed is being read wait for that reading") func oneReading() async {
        let (cache, first) = (FeedCache(), key(1))
        let (asked, loads, isOpen) = (NIOLockedValueBox(0), NIOLockedValueBox(0), NIOLockedValueBox(false))
        let found = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    asked.withLockedValue { $0 += 1 }
                    let read = await cache.feed(first) {
                        loads.withLockedValue { $0 += 1 }
                        while !isOpen.withLockedValue({ $0 }) { await Task.yield() }
                        return .success(Self.feed)
                    }
                    return (try? read.get()) != nil
                }
            }
            while asked.withLockedValue({ $0 }) < 8 { await Task.yield() }
            for _ in 0..<100 { await Task.yield() }
            isOpen.withLockedValue { $0 = true }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(found == 8)
        #expect(loads.withLockedValue { $0 } == 1)
    }

    @Test("A reading that failed is tried again, and a later feed replaces the former one") func again() async throws {
        let cache = FeedCache()
        let failed = await cache.feed(key(1)) { .failure(.full) }
        #expect(throws: StoreError.self) { _ = try failed.get() }
        let read = try await cache.feed(key(1)) { .success(Self.feed) }.get()
        #expect(read?.at == Timestamp(rawValue: 1))
        let later = ContentFeed(format: .gtfsRealtime, fetchedAt: Timestamp(rawValue: 2), body: [])
        let next = try await cache.feed(key(1, at: 2)) { .success(later) }.get()
        #expect(next?.at == Timestamp(rawValue: 2))
    }

    @Test("A feed that is in use stays when others come") func leastRecentlyUsed() async {
        let cache = FeedCache()
        let loads = NIOLockedValueBox<[Int]>([])
        let ask = { (set: Int) in
            _ = await cache.feed(key(set)) {
                loads.withLockedValue { $0.append(set) }
                return .success(Self.feed)
            }
        }
        for set in 0..<40 {
            await ask(set)
            await ask(0)
        }
        #expect(loads.withLockedValue { $0 } == Array(0..<40))
    }
}
