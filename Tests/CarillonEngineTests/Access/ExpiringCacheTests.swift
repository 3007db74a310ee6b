import NIOConcurrencyHelpers
import Testing

@testable import CarillonEngine

@Suite struct ExpiringCacheTests {
    private let start = ContinuousClock.now

    @Test("An entry is valid for its lifetime") func entriesExpire() {
        var cache = ExpiringCache<String, Int>(capacity: 10, lifetime: .seconds(10))
        cache.insert("a", 1, epoch: cache.epoch, now: start)

        #expect(cache.value("a", now: start + .milliseconds(9_999)) == 1)
        #expect(cache.value("a", now: start + .seconds(10)) == nil)
    }

    @Test("The cache never exceeds its capacity and keeps entries that are read") func respectsItsCapacity() {
        var cache = ExpiringCache<Int, Int>(capacity: 100, lifetime: .seconds(10))

        for key in 0..<10_000 {
            cache.insert(key, key, epoch: cache.epoch, now: start)
            _ = cache.value(0, now: start)
            #expect(cache.count <= 101)
        }

        #expect(cache.value(0, now: start) == 0)
        #expect(cache.value(1, now: start) == nil)
        #expect(cache.value(9_999, now: start) == 9_999)
    }

    @Test("A lookup that began before an invalidation is not inserted") func ignoresOutdatedLookups() {
        var cache = ExpiringCache<String, Int>(capacity: 10, lifetime: .seconds(10))
        let epoch = cache.epoch
        cache.invalidate { _, _ in false }

        cache.insert("a", 1, epoch: epoch, now: start)

        #expect(cache.value("a", now: start) == nil)
    }

    @Test("Invalidation reaches both generations") func invalidatesBothGenerations() {
        var cache = ExpiringCache<Int, Int>(capacity: 4, lifetime: .seconds(10))
        for key in 0..<4 { cache.insert(key, key % 2, epoch: cache.epoch, now: start) }

        cache.invalidate { _, value in value == 0 }

        #expect((0..<4).map { cache.value($0, now: start) } == [nil, 1, nil, 1])
    }

    @Test("S1-m1 Misses are cached for a short time, for a bounded number of keys")
    func remembersMisses() async {
        let time = NIOLockedValueBox(start)
        let lookup = CachedLookup<String, Int>(
            capacity: 2,
            lifetime: .seconds(10),
            missLifetime: .seconds(2),
            now: { time.withLockedValue { $0 } }
        )
        var asked: [String] = []
        func ask(_ key: String, _ answer: Int? = nil) async -> Int? {
            await lookup.value(of: key) { () async throws(Never) -> Int? in
                asked.append(key)
                return answer
            }
        }

        for _ in 0..<10 { #expect(await ask("a") == nil) }
        #expect(asked == ["a"])
        time.withLockedValue { $0 += .seconds(2) }
        #expect(await ask("a", 7) == 7)
        #expect(await ask("a") == 7)
        #expect(lookup.hasValue(of: "a") && !lookup.hasValue(of: "b"))

        for key in ["b", "c", "d", "b"] { _ = await ask(key) }
        #expect(asked == ["a", "a", "b", "c", "d", "b"])
    }

    @Test("S1-m1 A key that is not random is looked up again until it exists")
    func forgetsMisses() async {
        let lookup = CachedLookup<String, Int>(capacity: 10, lifetime: .seconds(10))
        #expect(await lookup.value(of: "a") { () async throws(Never) -> Int? in nil } == nil)
        #expect(await lookup.value(of: "a") { () async throws(Never) -> Int? in 1 } == 1)
    }
}
