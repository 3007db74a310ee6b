import CarillonModel
import CarillonOperatorModel

/// A funnel as a table with bars.
struct FunnelView {
    var funnel: Funnel

    /// One line a step: name, count, share of targeted Devices, bar; then the reasons of skipped and failed ones.
    ///
    /// Only some apps report replies and launches; their lines are shown when there are any. So are those of notifications
    /// that are tried again or wait for a time.
    var lines: [String] {
        steps.map { line($0.name, $0.count) } + reasons("skipped", funnel.skipped) + reasons("failed", funnel.failed)
    }

    private var steps: [(name: String, count: Int)] {
        [
            ("targeted", funnel.targeted),
            ("accepted", funnel.accepted),
            ("received", funnel.received),
            ("opened", funnel.opened),
            ("dismissed", funnel.dismissed),
            ("actions", funnel.actions),
        ]
            + [
                ("replies", funnel.replies), ("launched", funnel.launched), ("retrying", funnel.retrying),
                ("deferred", funnel.deferred),
            ]
            .filter { $0.1 > 0 }
    }

    private func line(_ name: String, _ count: Int) -> String {
        let share = funnel.targeted == 0 ? 0 : Double(count) / Double(funnel.targeted)
        let percent = Text.aligned("\(Int((share * 100).rounded())) %", 5)
        return "  \(Text.padded(name, 10)) \(Text.aligned(Text.grouped(count), 9))  \(percent)  "
            + Bar(share: share, width: 40).filled
    }

    private func reasons(_ title: String, _ counts: [String: Int]) -> [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "  \(Text.padded(title, 10)) \(Text.aligned(Text.grouped($0.value), 9))  \($0.key)" }
    }
}
