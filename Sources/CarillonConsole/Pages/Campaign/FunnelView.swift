import CarillonOperatorModel

/// The funnel of a Campaign, with the source and the denominator of each number.
struct FunnelView: Hashable, Sendable {
    /// A row.
    struct Row: Hashable, Sendable {
        /// Distinguishes its number for updates.
        let stepID: String
        let step: String
        let number: String
        let share: String
        /// What the share is of; `nil` without one.
        let denominator: String?
        /// Who counted: Carillon, APNs or the Device.
        let source: String
        let meaning: String
    }

    let steps: [Row]
    /// What stands beside the steps.
    let others: [Row]
    /// Whether fewer receipts than accepted notifications need an explanation.
    let hasGap: Bool

    /// Creates the rows.
    ///
    /// - Parameters:
    ///   - figures: The counts.
    ///   - deferred: The estimated number of Devices that wait for their time.
    ///   - look: The words of the page.
    init(_ figures: FunnelFigures, deferred: Int, _ look: Look) {
        func row(_ name: String, _ number: Int, _ denominator: FunnelFigures.Step?, _ source: String) -> Row {
            Row(
                stepID: name,
                step: look.texts.word("funnel", name),
                number: look.numbers.full(number),
                share: denominator.map { look.numbers.percent(number, of: figures.number(of: $0)) } ?? "",
                denominator: denominator.map { look.texts.word("funnel.of", $0.rawValue) },
                source: look.texts.word("funnel.source", source),
                meaning: look.texts.word("funnel.meaning", name)
            )
        }
        steps = FunnelFigures.Step.allCases.map { step in
            row(step.rawValue, figures.number(of: step), step.denominator, step.source)
        }
        others = [
            row("refused", figures.refused, .attempted, "apns"),
            row("failed", figures.failed, .attempted, "carillon"),
            row("remaining", figures.remaining, .targeted, "carillon"),
            row("deferred", deferred, nil, "carillon"),
            row("dismissed", figures.dismissed, .accepted, "device"),
            row("replies", figures.replies, .accepted, "device"),
            row("launched", figures.launched, .accepted, "device"),
        ]
        hasGap = figures.received < figures.accepted
    }
}

extension FunnelFigures.Step {
    /// Who counts it.
    fileprivate var source: String {
        switch self {
        case .targeted, .skipped, .attempted: "carillon"
        case .accepted: "apns"
        case .received, .opened, .acted: "device"
        }
    }
}
