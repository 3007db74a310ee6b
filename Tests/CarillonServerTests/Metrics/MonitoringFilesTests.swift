import CarillonServer
import Foundation
import Testing

/// The dashboard and the alert rules of deploy/ name metrics that the server has.
///
/// `script/monitoring` checks the rest.
struct MonitoringFilesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Names that look like metrics of the server.
    private static func names(_ text: String) -> Set<String> {
        Set(text.matches(of: /\b(?:carillon|process)_[a-z_]+/).map { String($0.output) })
    }

    /// The names that Prometheus has for the server's metrics: three for a histogram.
    private static let known = Set(
        MetricName.allCases.flatMap { name in
            name.kind == .histogram ? ["_bucket", "_sum", "_count"].map { name.rawValue + $0 } : [name.rawValue]
        }
    )

    @Test("Every metric that the dashboard and the alert rules name exists", arguments: files)
    func exists(file: String) throws {
        let names = Self.names(try Self.text("deploy/" + file))
        #expect(names.count > 10)
        #expect(names.subtracting(Self.known).isEmpty)
    }

    private static let files = ["grafana-dashboard.json", "alerts.yml", "alerts.test.yml"]

    @Test("The dashboard shows every metric of the server")
    func isComplete() throws {
        let shown = Self.names(try Self.text("deploy/grafana-dashboard.json"))
        let missing = MetricName.allCases.filter { name in !shown.contains { $0.hasPrefix(name.rawValue) } }
        #expect(missing.isEmpty, "\(missing.map(\.rawValue))")
    }

    @Test("Every alert is explained for operators")
    func isDocumented() throws {
        let page = try Self.text("docs/monitoring.md")
        let alerts = try Self.text("deploy/alerts.yml").matches(of: /- alert: (\w+)/).map { String($0.output.1) }
        #expect(alerts.count > 20)
        for alert in alerts { #expect(page.contains("| `\(alert)` |"), "\(alert)") }
        let explained = page.matches(of: /\| `(Carillon\w+)` \|/).map { String($0.output.1) }
        #expect(Set(explained) == Set(alerts) && explained.count == alerts.count)
    }
}
