import CarillonEngine
import Testing

@Suite struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test("A bucket grants its burst and then its rate") func grantsBurstAndRate() {
        var limiter = RateLimiter<String>(rate: 2, burst: 3, capacity: 10)

        let first = (0..<4).map { _ in limiter.consume("a", now: start) }
        let later = limiter.consume("a", now: start + .milliseconds(500))
        let soon = limiter.consume("a", now: start + .milliseconds(600))

        #expect(first == [nil, nil, nil, .milliseconds(500)])
        #expect(later == nil)
        #expect(soon == .milliseconds(400))
    }

    @Test("Keys have separate buckets") func separateBuckets() {
        var limiter = RateLimiter<String>(rate: 1, burst: 1, capacity: 10)

        #expect(limiter.consume("a", now: start) == nil)
        #expect(limiter.consume("b", now: start) == nil)
        #expect(limiter.consume("a", now: start) != nil)
    }

    @Test("A flood of keys neither grows the limiter nor passes it") func boundsFloods() {
        var limiter = RateLimiter<Int>(rate: 1, burst: 5, capacity: 100)

        let passed = (0..<10_000).count { limiter.consume($0, now: start) == nil }

        #expect(limiter.count == 100)
        #expect(passed == 105)
    }

    @Test("Full buckets are removed for new keys") func removesFullBuckets() {
        var limiter = RateLimiter<Int>(rate: 1, burst: 1, capacity: 2)
        _ = limiter.consume(1, now: start)
        _ = limiter.consume(2, now: start)

        #expect(limiter.consume(3, now: start + .seconds(2)) == nil)
        #expect(limiter.consume(3, now: start + .seconds(2)) != nil)
        #expect(limiter.count == 1)
    }

    @Test("A clock that stands still or goes back refills nothing") func ignoresClocksThatGoBack() {
        var limiter = RateLimiter<Int>(rate: 1, burst: 1, capacity: 2)
        _ = limiter.consume(1, now: start)

        #expect(limiter.consume(1, now: start - .seconds(100)) != nil)
        #expect(limiter.consume(1, now: start) != nil)
    }
}
