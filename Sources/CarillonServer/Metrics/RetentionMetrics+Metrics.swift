package import CarillonEngine
import CarillonModel

extension RetentionMetrics: MetricsSource {
    package func write(to page: inout MetricsPage) {
        let figures = values
        page.totals(
            .retentionFailures,
            by: "subject",
            figures.failures.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
        let steps = figures.steps.sorted { $0.key.rawValue < $1.key.rawValue }
        page.totals(.retentionSteps, by: "subject", steps.map { ($0.key.rawValue, $0.value) })
        page.begin(.retentionStepTime)
        for (subject, time) in figures.stepTimes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            page.sample(
                MetricName.retentionStepTime.rawValue,
                ["subject": subject.rawValue],
                Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
            )
        }
        page.single(.partitionsMissing, Double(figures.missingPartitions.count))
        page.single(.retentionRound, Double((figures.lastRound?.rawValue ?? 0) / 1_000))
    }
}
