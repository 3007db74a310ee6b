import ApplePush
import ApplePushConnection
import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonServer
import Foundation

/// The sender's metrics.
///
/// Every label has a bounded set of values: the two environments, Apple's documented reasons, and our own.
struct APNsMetrics: MetricsSource {
    private typealias Figures = [(environment: String, metrics: ConnectionPool.Metrics)]

    let sender: APNsSender
    let clock: any WallClock

    func write(to page: inout MetricsPage) {
        let all = sender.metrics
        gauge(.apnsQueued, all, \.queued, &page)
        gauge(.apnsInFlight, all, \.inFlight, &page)
        gauge(.apnsStreamLimit, all, \.streamLimit, &page)
        gauge(.apnsConnections, all, \.connections, &page)
        gauge(.apnsConnects, all, \.connects, &page)
        gauge(.apnsSlowed, all, \.slowed, &page)
        words(.apnsClosures, "cause", all, { $0.closures.map { ($0.rawValue, $1) } }, &page)
        words(.apnsGoAways, "reason", all, { $0.goAways.map { ($0.rawValue, $1) } }, &page)
        writeResults(all, &page)
        writeLatency(all, &page)
        writeTokenAge(all, &page)
    }

    private func gauge(
        _ name: MetricName,
        _ all: Figures,
        _ value: (ConnectionPool.Metrics) -> Int,
        _ page: inout MetricsPage
    ) {
        page.begin(name)
        for (environment, metrics) in all {
            page.sample(name.rawValue, ["environment": environment], Double(value(metrics)))
        }
    }

    private func words(
        _ name: MetricName,
        _ label: String,
        _ all: Figures,
        _ counts: (ConnectionPool.Metrics) -> [(String, Int)],
        _ page: inout MetricsPage
    ) {
        page.begin(name)
        for (environment, metrics) in all {
            for (word, count) in counts(metrics).sorted(by: { $0.0 < $1.0 }) {
                page.sample(name.rawValue, ["environment": environment, label: word], Double(count))
            }
        }
    }

    private func writeResults(
        _ all: Figures,
        _ page: inout MetricsPage
    ) {
        page.begin(.apnsResults)
        for (environment, metrics) in all {
            let rows: [(result: String, reason: String, count: Int)] =
                [("accepted", "", metrics.accepted)]
                + metrics.rejected.map { ("rejected", $0.rawValue, $1) }
                + metrics.notSent.map { ("not_sent", $0.rawValue, $1) }
                + metrics.unknown.map { ("unknown", $0.rawValue, $1) }
            for row in rows.sorted(by: { ($0.result, $0.reason) < ($1.result, $1.reason) }) {
                page.sample(
                    MetricName.apnsResults.rawValue,
                    ["environment": environment, "result": row.result, "reason": row.reason],
                    Double(row.count)
                )
            }
        }
    }

    private func writeLatency(
        _ all: Figures,
        _ page: inout MetricsPage
    ) {
        let name = MetricName.apnsLatency.rawValue
        page.begin(.apnsLatency)
        for (environment, metrics) in all {
            var sum = 0
            for (index, count) in metrics.latency.counts.enumerated() {
                sum += count
                let bound = index < LatencyHistogram.bounds.count ? "\(LatencyHistogram.bounds[index])" : "+Inf"
                page.sample(name + "_bucket", ["environment": environment, "le": bound], Double(sum))
            }
            page.sample(name + "_sum", ["environment": environment], metrics.latency.seconds)
            page.sample(name + "_count", ["environment": environment], Double(sum))
        }
    }

    private func writeTokenAge(
        _ all: Figures,
        _ page: inout MetricsPage
    ) {
        page.begin(.apnsTokenAge)
        let now = clock.now().date
        for (environment, metrics) in all {
            guard let issuedAt = metrics.providerTokenIssuedAt else { continue }
            page.sample(
                MetricName.apnsTokenAge.rawValue,
                ["environment": environment],
                max(0, now.timeIntervalSince(issuedAt).rounded(.down))
            )
        }
    }
}
