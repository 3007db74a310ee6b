/// A finding of `carillon doctor apns`.
struct Finding: Hashable, Sendable, Encodable {
    /// The steps, in order; each depends on the previous ones.
    enum Step: String, CaseIterable, Encodable {
        case keyFile = "key-file"
        case ids
        case topic
        case name
        case network
        case certificate
        case protocolName = "protocol"
        case settings
        case clock
        case credentials
        case permission
        case deviceToken = "device-token"

        /// The displayed title.
        var title: String {
            switch self {
            case .keyFile: "key or certificate file"
            case .ids: "key id and team id"
            case .topic: "topic"
            case .name: "server name"
            case .network: "network"
            case .certificate: "TLS"
            case .protocolName: "HTTP/2"
            case .settings: "settings"
            case .clock: "clock"
            case .credentials: "key or certificate at APNs"
            case .permission: "permission for the topic"
            case .deviceToken: "device token"
            }
        }
    }

    enum Verdict: String, Encodable {
        case good
        case bad
        /// Neither confirmed nor refuted.
        case unknown
        /// A previous step failed.
        case skipped
    }

    var step: Step
    var verdict: Verdict
    /// What was found.
    var text: String
    /// What to do; `nil` for nothing.
    var advice: String?

    static func good(_ step: Step, _ text: String, _ advice: String? = nil) -> Finding {
        Finding(step: step, verdict: .good, text: text, advice: advice)
    }

    static func bad(_ step: Step, _ text: String, _ advice: String) -> Finding {
        Finding(step: step, verdict: .bad, text: text, advice: advice)
    }

    static func unknown(_ step: Step, _ text: String, _ advice: String? = nil) -> Finding {
        Finding(step: step, verdict: .unknown, text: text, advice: advice)
    }
}

/// All findings of an examination.
struct DoctorReport: Hashable, Sendable, Encodable {
    /// The examined server, as `host:port`.
    var server: String
    private(set) var findings: [Finding] = []

    init(server: String) {
        self.server = server
    }

    mutating func add(_ finding: Finding) {
        findings.append(finding)
    }

    /// Adds findings for the remaining steps.
    mutating func skipTheRest() {
        let seen = Set(findings.map(\.step))
        for step in Finding.Step.allCases where !seen.contains(step) {
            add(Finding(step: step, verdict: .skipped, text: "not examined: something before it is wrong", advice: nil))
        }
        let order = Finding.Step.allCases
        findings.sort { order.firstIndex(of: $0.step) ?? 0 < order.firstIndex(of: $1.step) ?? 0 }
    }

    /// Whether there are no problems.
    ///
    /// Unknown counts as healthy except for the credentials: until APNs accepts them, nothing is proved.
    var isHealthy: Bool {
        !findings.contains { $0.verdict == .bad || ($0.step == .credentials && $0.verdict != .good) }
    }

    private enum CodingKeys: CodingKey {
        case healthy
        case server
        case findings
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isHealthy, forKey: .healthy)
        try container.encode(server, forKey: .server)
        try container.encode(findings, forKey: .findings)
    }

    /// The report as text: a line a finding, with its advice below.
    var text: String {
        var lines = ["APNs at \(server)"]
        for finding in findings {
            lines.append("  \(finding.verdict.mark) \(finding.step.title): \(finding.text)")
            if let advice = finding.advice { lines.append("      → \(advice)") }
        }
        lines.append(isHealthy ? "All is well." : "Something is wrong: see the lines marked ✗ or ?.")
        return lines.joined(separator: "\n")
    }
}

extension Finding.Verdict {
    var mark: String {
        switch self {
        case .good: "✓"
        case .bad: "✗"
        case .unknown: "?"
        case .skipped: "–"
        }
    }
}
