package import CarillonEngine
package import CoreMetrics
import ServiceLifecycle

/// Publishes the metrics of the page to a backend of swift-metrics, under the same names and labels.
///
/// It reads what a scrape of the page reads: whoever counts does nothing more for it.
package struct MetricsPublisher: Service {
    /// How often it publishes.
    private static let period = Duration.seconds(5)

    private let sources: [any MetricsSource]
    private let factory: any MetricsFactory
    private let timer: any DispatchClock

    /// Makes it; it publishes nothing before it runs.
    ///
    /// - Parameters:
    ///   - sources: What has metrics.
    ///   - factory: The backend.
    ///   - timer: What the period is measured by.
    package init(
        _ sources: [any MetricsSource],
        to factory: any MetricsFactory,
        timer: any DispatchClock = SystemDispatchClock()
    ) {
        self.sources = sources
        self.factory = factory
        self.timer = timer
    }

    /// Publishes every five seconds, and once more at the end.
    package func run() async throws {
        var published = await cancelWhenGracefulShutdown {
            var published = PublishedMetrics(factory)
            while !Task.isCancelled {
                published.publish(sources.page)
                await timer.sleep(until: timer.now() + Self.period)
            }
            return published
        }
        published.publish(sources.page)
    }
}

/// The instruments of a backend, and how far their counters have come.
struct PublishedMetrics: Sendable {
    private struct Key: Hashable {
        var name: String
        var labels: [String]
    }

    private struct Total: Sendable {
        var counter: FloatingPointCounter
        var value = 0.0
    }

    private let factory: any MetricsFactory
    private var totals: [Key: Total] = [:]
    private var meters: [Key: Meter] = [:]

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Publishes a page: gauges as meters, and what grows as counters, each part of a histogram as one of its own.
    ///
    /// A gauge that the page no longer has is removed from the backend, which would go on to show its last value.
    mutating func publish(_ page: MetricsPage) {
        var vanished = Set(meters.keys)
        for metric in page.metrics {
            for sample in metric.samples {
                switch metric.kind {
                case .counter, .histogram: count(sample)
                case .gauge: vanished.remove(set(sample))
                }
            }
        }
        for key in vanished { meters.removeValue(forKey: key)?.destroy() }
    }

    private mutating func count(_ sample: MetricsPage.Sample) {
        let (key, labels) = Self.key(sample)
        var total =
            totals[key]
            ?? Total(counter: FloatingPointCounter(label: sample.name, dimensions: labels, factory: factory))
        if sample.value > total.value { total.counter.increment(by: sample.value - total.value) }
        total.value = sample.value
        totals[key] = total
    }

    private mutating func set(_ sample: MetricsPage.Sample) -> Key {
        let (key, labels) = Self.key(sample)
        let meter = meters[key] ?? Meter(label: sample.name, dimensions: labels, factory: factory)
        meter.set(sample.value)
        meters[key] = meter
        return key
    }

    private static func key(_ sample: MetricsPage.Sample) -> (Key, [(String, String)]) {
        let labels = sample.labels.map { ($0.key, $0.value) }
        return (Key(name: sample.name, labels: labels.flatMap { [$0, $1] }), labels)
    }
}
