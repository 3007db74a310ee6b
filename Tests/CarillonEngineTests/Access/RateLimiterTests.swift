import CarillonEngine
import Testing

@Suite struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test func `a bucket gives its burst and then its rate`() {
        var limiter = RateLimiter<String>(rate: 2, burst: 3, capacity: 10)

        let first = (0..<4).map { _ in limiter.take("a", now: start) }
        let later = limiter.take("a", now: start + .milliseconds(500))
        let soon = limiter.take("a", now: start + .milliseconds(600))

        #expect(first == [nil, nil, nil, .milliseconds(500)])
        #expect(later == nil)
        #expect(soon == .milliseconds(400))
    }

    @Test func `keys do not take from each other`() {
        var limiter = RateLimiter<String>(rate: 1, burst: 1, capacity: 10)

        #expect(limiter.take("a", now: start) == nil)
        #expect(limiter.take("b", now: start) == nil)
        #expect(limiter.take("a", now: start) != nil)
    }

    @Test func `a flood of keys neither grows it nor gets through`() {
        var limiter = RateLimiter<Int>(rate: 1, burst: 5, capacity: 100)

        let passed = (0..<10_000).count { limiter.take($0, now: start) == nil }

        #expect(limiter.count == 100)
        #expect(passed == 105)
    }

    @Test func `full buckets make room`() {
        var limiter = RateLimiter<Int>(rate: 1, burst: 1, capacity: 2)
        _ = limiter.take(1, now: start)
        _ = limiter.take(2, now: start)

        #expect(limiter.take(3, now: start + .seconds(2)) == nil)
        #expect(limiter.take(3, now: start + .seconds(2)) != nil)
        #expect(limiter.count == 1)
    }

    @Test func `time that stands still or goes back fills nothing`() {
        var limiter = RateLimiter<Int>(rate: 1, burst: 1, capacity: 2)
        _ = limiter.take(1, now: start)

        #expect(limiter.take(1, now: start - .seconds(100)) != nil)
        #expect(limiter.take(1, now: start) != nil)
    }
}
