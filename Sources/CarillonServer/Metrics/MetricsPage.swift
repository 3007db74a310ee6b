/// The server's metrics at one instant, as Prometheus' exposition format, version 0.0.4, has them.
package struct MetricsPage: Sendable {
    /// How a metric's values behave, in Prometheus' words.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// A metric and its samples.
    package struct Metric: Sendable {
        package var name: String
        package var kind: Kind
        package var help: String
        package var samples: [Sample] = []
    }

    /// One value of a metric.
    package struct Sample: Sendable {
        /// The metric's name, with a suffix for a histogram's parts.
        package var name: String
        /// Names and values of the labels.
        package var labels: KeyValuePairs<String, String>
        package var value: Double
    }

    package private(set) var metrics: [Metric] = []

    package init() {}

    /// Begins a metric; its samples follow.
    package mutating func begin(_ name: String, kind: Kind, help: String) {
        metrics.append(Metric(name: name, kind: kind, help: help))
    }

    /// Adds a sample to the metric that was begun last.
    ///
    /// - Parameters:
    ///   - name: The metric's name, with a suffix for a histogram's parts.
    ///   - labels: Names and values of the labels.
    ///   - value: The value.
    package mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double) {
        precondition(!metrics.isEmpty, "a sample belongs to a metric")
        metrics[metrics.count - 1].samples.append(Sample(name: name, labels: labels, value: value))
    }

    /// The page in Prometheus' format.
    package var text: String {
        var text = ""
        for metric in metrics {
            text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in metric.samples { Self.write(sample, to: &text) }
        }
        return text
    }

    private static func write(_ sample: Sample, to text: inout String) {
        text += sample.name
        if !sample.labels.isEmpty {
            text += "{" + sample.labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
        }
        let value = sample.value
        text += value == value.rounded() && abs(value) < 1e15 ? " \(Int64(value))\n" : " \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}

/// Something that has figures to show on the page of metrics, as the dispatcher.
package protocol MetricsSource: Sendable {
    /// Writes its figures.
    func write(to page: inout MetricsPage)
}

extension [any MetricsSource] {
    /// What all of them have to show.
    var page: MetricsPage {
        var page = MetricsPage()
        for source in self { source.write(to: &page) }
        return page
    }
}
