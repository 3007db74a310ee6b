/// The progress of a run.
struct SendCounts: Hashable {
    var skipped = 0
    var accepted = 0
    var rejected = 0
    var notSent = 0
    var unknown = 0
    var badLines = 0

    /// Number of tokens with an outcome of this run.
    var done: Int { accepted + rejected + notSent + unknown }

    mutating func count(_ row: OutcomeRow) {
        switch row.word {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .notSent: notSent += 1
        case .unknown: unknown += 1
        case .badLine: badLines += 1
        }
    }

    /// The progress in one line; zero counts are left out, except the first two.
    func line(perSecond rate: Int?) -> String {
        var parts = ["\(Text.grouped(done)) sent", "\(Text.grouped(accepted)) accepted"]
        let rest = [
            (rejected, "rejected"), (notSent, "not sent"), (unknown, "without an answer"),
            (badLines, badLines == 1 ? "bad line" : "bad lines"), (skipped, "done before"),
        ]
        parts += rest.filter { $0.0 > 0 }.map { "\(Text.grouped($0.0)) \($0.1)" }
        if let rate { parts.append("\(Text.grouped(rate))/s") }
        return parts.joined(separator: ", ")
    }
}
