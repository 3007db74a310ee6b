import Testing

@testable import CarillonEngine

@Suite struct ExpiringCacheTests {
    private let start = ContinuousClock.now

    @Test func `an entry is trusted for its lifetime`() {
        var cache = ExpiringCache<String, Int>(capacity: 10, lifetime: .seconds(10))
        cache.insert("a", 1, epoch: cache.epoch, now: start)

        #expect(cache.value("a", now: start + .milliseconds(9_999)) == 1)
        #expect(cache.value("a", now: start + .seconds(10)) == nil)
    }

    @Test func `it never holds more than its capacity and keeps what is asked for`() {
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

    @Test func `a look-up that began before an invalidation is not kept`() {
        var cache = ExpiringCache<String, Int>(capacity: 10, lifetime: .seconds(10))
        let epoch = cache.epoch
        cache.invalidate { _, _ in false }

        cache.insert("a", 1, epoch: epoch, now: start)

        #expect(cache.value("a", now: start) == nil)
    }

    @Test func `invalidation reaches both generations`() {
        var cache = ExpiringCache<Int, Int>(capacity: 4, lifetime: .seconds(10))
        for key in 0..<4 { cache.insert(key, key % 2, epoch: cache.epoch, now: start) }

        cache.invalidate { _, value in value == 0 }

        #expect((0..<4).map { cache.value($0, now: start) } == [nil, 1, nil, 1])
    }
}
