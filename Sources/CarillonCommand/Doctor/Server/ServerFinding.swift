import CarillonModel
import Foundation

/// A finding of `carillon doctor server`.
struct ServerFinding: Hashable, Sendable, Encodable {
    /// The checks; a report has at least one finding of each possible one, in this order.
    enum Check: String, CaseIterable, Sendable, Encodable {
        case configuration
        case dataFolder = "data-folder"
        case diskSpace = "disk-space"
        case log = "write-ahead-log"
        case store
        case schema
        case indexes
        case partitions
        case restore
        case hold
        case masterKey = "master-key"
        case firstKey = "first-key"
        case adminKey = "admin-key"
        case pushKeys = "push-keys"
        case apnsCA = "apns-ca-file"
        case apns
        case identityProvider = "identity-provider"
        case clock
        case tls
        case listening
        case campaigns
        case work
        case webhooks
        case retention
        case auditLog = "audit-log"
    }

    enum Verdict: String, Sendable, Encodable {
        case ok
        /// It works today, but needs attention.
        case warning
        /// Something does not work.
        case problem
    }

    var check: Check
    var verdict: Verdict
    /// What was found.
    var text: String
    /// What to do, with a command where there is one; `nil` for nothing.
    var advice: String?

    static func ok(_ check: Check, _ text: String) -> Self {
        Self(check: check, verdict: .ok, text: text, advice: nil)
    }

    static func warning(_ check: Check, _ text: String, _ advice: String) -> Self {
        Self(check: check, verdict: .warning, text: text, advice: advice)
    }

    static func problem(_ check: Check, _ text: String, _ advice: String) -> Self {
        Self(check: check, verdict: .problem, text: text, advice: advice)
    }

    /// One line; text from outside is stripped of line breaks and control characters.
    var line: String {
        let mark = verdict.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        let text = "\(mark) \(check.rawValue): \(text)" + (advice.map { " → " + $0 } ?? "")
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
        )
    }

    /// The finding as one line of JSON.
    var json: String {
        get throws {
            return String(decoding: try JSONEncoder.sorted().encode(self), as: UTF8.self)
        }
    }
}

/// All findings of a server.
struct ServerReport: Hashable, Sendable {
    private(set) var findings: [ServerFinding] = []

    mutating func add(_ findings: ServerFinding...) { self.findings += findings }
    mutating func add(_ findings: [ServerFinding]) { self.findings += findings }

    /// Whether there are no problems.
    var isHealthy: Bool { !findings.contains { $0.verdict == .problem } }

    func findings(of check: ServerFinding.Check) -> [ServerFinding] { findings.filter { $0.check == check } }
}
