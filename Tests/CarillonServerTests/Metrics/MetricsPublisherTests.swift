import CarillonEngine
import MetricsTestKit
import NIOConcurrencyHelpers
import Testing

@testable import CarillonServer

struct MetricsPublisherTests {
    @Test("What the page shows is published under the same names and labels, counters by what they have grown")
    func publishes() throws {
        let backend = TestMetrics()
        var published = PublishedMetrics(backend)

        published.publish(page(requests: 2, open: 7))
        published.publish(page(requests: 5, open: 3))
        published.publish(page(requests: 5, open: 4))

        #expect(try backend.expectCounter("carillon_http_requests_total", Self.answered).values == [2, 3])
        #expect(try backend.expectMeter("carillon_http_connections").values == [7, 3, 4])
        for (bound, count) in [("1", 2), ("+Inf", 5)] as [(String, Int64)] {
            let labels = [("route", "/a"), ("le", bound)]
            #expect(backend.counterTotal(label: Self.buckets, dimensions: labels) == count)
        }
        #expect(backend.counters.count == 3 && backend.meters.count == 1)
    }

    @Test("A counter is there before it has counted")
    func publishesZero() throws {
        let backend = TestMetrics()
        var published = PublishedMetrics(backend)
        published.publish(page(requests: 0, open: 0))
        #expect(try backend.expectCounter("carillon_http_requests_total", Self.answered).values == [])
    }

    @Test("A gauge that the page no longer has leaves the backend")
    func removesGauges() throws {
        let backend = TestMetrics()
        var published = PublishedMetrics(backend)
        published.publish(page(requests: 0, open: 7))
        #expect(backend.meters.count == 1)

        published.publish(MetricsPage())
        #expect(backend.meters.isEmpty)

        published.publish(page(requests: 0, open: 2))
        #expect(try backend.expectMeter("carillon_http_connections").values == [2])
    }

    @Test("It publishes once a period, and at the end what was counted since")
    func publishesPeriodically() async throws {
        let backend = TestMetrics()
        let metrics = ServerMetrics(startedAt: 0)
        let timer = CountedTimer { round in metrics.add(round, to: .campaigns) }
        let publisher = MetricsPublisher([metrics], to: backend, timer: timer)

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            await timer.lastRound()
            group.cancelAll()
            try await group.waitForAll()
        }

        #expect(try backend.expectCounter("carillon_campaigns_total").values == [1, 2, 3])
        #expect(timer.pauses == Array(repeating: .seconds(5), count: 3))
    }

    private static let answered = [("route", "/a"), ("status", "200")]
    private static let buckets = "carillon_http_request_duration_seconds_bucket"

    private func page(requests: Double, open: Double) -> MetricsPage {
        var page = MetricsPage()
        page.begin(.requests)
        page.sample("carillon_http_requests_total", ["route": "/a", "status": "200"], requests)
        page.begin(.requestDuration)
        page.sample(Self.buckets, ["route": "/a", "le": "1"], min(requests, 2))
        page.sample(Self.buckets, ["route": "/a", "le": "+Inf"], requests)
        page.begin(.connections)
        page.sample("carillon_http_connections", [:], open)
        return page
    }
}

/// A clock that stands still: two sleeps end at once, the third one with the task.
private final class CountedTimer: DispatchClock {
    private let start = ContinuousClock.now
    private let slept = NIOLockedValueBox<[Duration]>([])
    private let onSleep: @Sendable (Int) -> Void
    private let (rounds, ending) = AsyncStream.makeStream(of: Void.self)
    /// Ends with the task that waits for it.
    private let never = AsyncStream.makeStream(of: Void.self)

    init(onSleep: @escaping @Sendable (Int) -> Void) { self.onSleep = onSleep }

    var pauses: [Duration] { slept.withLockedValue { $0 } }

    func now() -> ContinuousClock.Instant { start }

    func sleep(until deadline: ContinuousClock.Instant) async {
        let round = slept.withLockedValue { slept in
            slept.append(deadline - start)
            return slept.count
        }
        onSleep(round)
        guard round == 3 else { return }
        ending.finish()
        for await _ in never.stream {}
    }

    /// Waits until the third sleep has begun.
    func lastRound() async { for await _ in rounds {} }
}
