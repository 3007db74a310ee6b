import ApplePush
import ApplePushConnection
import Foundation

/// One line of an outcome file: the outcome of one token.
struct OutcomeRow: Hashable {
    /// The outcome.
    ///
    /// The raw value is the word in the file.
    enum Word: String, CaseIterable {
        case accepted
        case rejected
        /// APNs has certainly not processed it; the next run sends it.
        case notSent = "not sent"
        /// It was sent, and there was no answer; the next run sends it again, with the same `apns-id`.
        case unknown
        /// The line has no valid device token.
        case badLine = "bad line"
    }

    static let header = "line,token,outcome,status,reason,timestamp,invalid_since,apns_id"

    var line: Int
    /// Lower-case hexadecimal; empty for an invalid line, whose content may be anything.
    var token: String
    var word: Word
    var status: Int?
    var reason: String
    /// The time of the outcome, in seconds since 1970.
    var timestamp: Int64
    /// Apple's timestamp of a 410, in milliseconds since 1970.
    var invalidSince: Int64?
    var id: UUID?

    /// Whether the next run can skip this token.
    var isFinal: Bool {
        switch word {
        case .accepted, .badLine: true
        case .notSent, .unknown: false
        case .rejected: Verdict(reason: RejectionReason(rawValue: reason), status: status ?? 0) == .final
        }
    }

    /// The line in the file, without its line feed.
    ///
    /// No field needs quoting: reasons are stripped of such characters.
    var text: String {
        let fields: [String] = [
            String(line), token, word.rawValue, status.map { String($0) } ?? "", Self.plain(reason), String(timestamp),
            invalidSince.map { String($0) } ?? "", id?.uuidString.lowercased() ?? "",
        ]
        return fields.joined(separator: ",")
    }

    private static func plain(_ text: String) -> String {
        text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
}

extension OutcomeRow {
    /// Parses a line of an outcome file; `nil` for the header and for anything malformed.
    init?(text: Substring) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 8, let line = Int(fields[0]), line > 0, let word = Word(rawValue: String(fields[2])),
            let timestamp = Int64(fields[5])
        else { return nil }
        self.line = line
        token = String(fields[1])
        self.word = word
        status = Int(fields[3])
        reason = String(fields[4])
        self.timestamp = timestamp
        invalidSince = Int64(fields[6])
        id = UUID(uuidString: String(fields[7]))
    }

    /// Creates the row of a notification.
    init(line: Int, token: String, outcome: Outcome, id: UUID, at timestamp: Int64) {
        self.init(line: line, token: token, word: .accepted, reason: "", timestamp: timestamp, id: id)
        switch outcome {
        case .accepted: status = 200
        case .rejected(let rejection):
            word = .rejected
            status = rejection.status
            reason = rejection.reason.rawValue
            invalidSince = rejection.tokenInvalidSince.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
        case .notSent(let failure):
            word = .notSent
            reason = failure.rawValue
        case .unknown(let failure):
            word = .unknown
            reason = failure.rawValue
        }
    }

    /// Creates the row of an invalid line.
    init(badLine line: Int, at timestamp: Int64) {
        self.init(line: line, token: "", word: .badLine, reason: "NoDeviceToken", timestamp: timestamp)
    }
}
