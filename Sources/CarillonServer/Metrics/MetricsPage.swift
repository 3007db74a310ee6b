/// Text in Prometheus' exposition format, version 0.0.4.
package struct MetricsPage: Sendable {
    package private(set) var text = ""

    package init() {}

    /// Begins a metric; its samples follow.
    package mutating func begin(_ name: String, kind: String, help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    /// Writes one sample.
    ///
    /// - Parameters:
    ///   - name: The metric's name, with a suffix for a histogram's parts.
    ///   - labels: Names and values of the labels.
    ///   - value: The value.
    package mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String> = [:], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",") + "}"
        }
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
