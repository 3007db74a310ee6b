extension MetricsPage {
    /// Begins a metric of the server; its samples follow.
    package mutating func begin(_ name: MetricName) { begin(name.rawValue, kind: name.kind, help: name.help) }

    /// Writes a metric that has one value.
    mutating func single(_ name: MetricName, _ value: Double) {
        begin(name)
        sample(name.rawValue, [:], value)
    }

    /// Writes a metric with a sample for each value of one label.
    mutating func totals(_ name: MetricName, by label: String = "result", _ results: [(value: String, count: Int?)]) {
        begin(name)
        for (value, count) in results { sample(name.rawValue, [label: value], Double(count ?? 0)) }
    }
}
