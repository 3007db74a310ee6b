import Testing

@testable import ApplePushSimulator

struct LatencyTests {
    private func draws(_ latency: Latency, count: Int = 10_000) -> [Duration] {
        var random = SplitMix64(state: 5)
        return (0..<count).map { _ in latency.draw(using: &random) }.sorted()
    }

    @Test("A-55 A constant latency does not vary")
    func constant() {
        #expect(Set(draws(.milliseconds(40), count: 10)) == [.milliseconds(40)])
    }

    @Test("A-55 A uniform latency covers its range")
    func uniform() throws {
        let spans = draws(.uniform(.milliseconds(10), .milliseconds(30)))

        #expect(try #require(spans.first) >= .milliseconds(10))
        #expect(try #require(spans.last) < .milliseconds(30))
        // The median of 10,000 draws is within five of its deviations, 0.1 ms each.
        #expect((.milliseconds(19.5)...Duration.milliseconds(20.5)).contains(spans[5000]))
    }

    @Test("A-55 A normal latency has its mean and deviation, and is never below zero")
    func normal() throws {
        let spans = draws(.normal(mean: .milliseconds(50), deviation: .milliseconds(10)))

        #expect((.milliseconds(49)...Duration.milliseconds(51)).contains(spans[5000]))
        // 84.13 of 100 draws are below the mean and one deviation.
        #expect((.milliseconds(59)...Duration.milliseconds(61)).contains(spans[8413]))
        #expect(draws(.normal(mean: .zero, deviation: .milliseconds(10))).first == .zero)
    }

    @Test("A-55 A long-tailed latency has its median and its 99th percentile")
    func longTailed() {
        let spans = draws(.longTailed(median: .milliseconds(20), percentile99: .milliseconds(400)))

        #expect((.milliseconds(19)...Duration.milliseconds(21)).contains(spans[5000]))
        #expect((.milliseconds(320)...Duration.milliseconds(500)).contains(spans[9900]))
        #expect(spans.last ?? .zero <= Latency.longest)
    }

    @Test(
        "A-55 No distribution exceeds ten minutes",
        arguments: [
            Latency.constant(.seconds(1_000_000)), .uniform(.seconds(3600), .seconds(7200)),
            .normal(mean: .seconds(86_400), deviation: .seconds(1)),
            .longTailed(median: .seconds(3600), percentile99: .seconds(36_000)),
            .uniform(.seconds(30), .seconds(10)), .longTailed(median: .zero, percentile99: .zero),
        ]
    )
    func bounds(_ latency: Latency) {
        let spans = draws(latency, count: 100)

        #expect(spans.allSatisfy { $0 >= .zero && $0 <= Latency.longest })
    }
}
