import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The variants of a Campaign.
struct VariantsView: Hashable, Sendable {
    /// One variant.
    struct Row: Hashable, Sendable {
        let variantName: String
        let variantTargeted: String
        let variantAccepted: String
        let variantOpened: String
        let variantActed: String
        let rate: String
        /// The interval of the true rate; `nil` while nothing was accepted.
        let interval: String?
        let isWinner: Bool
    }

    let variantRows: [Row]
    let conclusion: String

    /// Creates the table; `nil` without variants.
    init?(_ funnel: Funnel, _ look: Look) {
        guard let variants = funnel.variants, !variants.isEmpty else { return nil }
        variantRows = variants.map { variant in
            Row(
                variantName: variant.name,
                variantTargeted: look.numbers.full(variant.targeted),
                variantAccepted: look.numbers.full(variant.accepted),
                variantOpened: look.numbers.full(variant.opened),
                variantActed: look.numbers.full(variant.actions),
                rate: look.numbers.percent(variant.opened, of: variant.accepted),
                interval: variant.interval(look),
                isWinner: variant.name == funnel.winner
            )
        }
        conclusion =
            funnel.winner.map { look.texts("variants.winner", ["name": $0]) } ?? look.texts("variants.none")
    }
}

extension VariantCounts {
    /// Both bounds of the true rate, as percentages.
    fileprivate func interval(_ look: Look) -> String? {
        guard let openRateLow, let openRateHigh else { return nil }
        func text(_ share: Double) -> String { look.numbers.percent(Int((share * 100_000).rounded()), of: 100_000) }
        return look.texts("variants.interval", ["low": text(openRateLow), "high": text(openRateHigh)])
    }
}

/// The Occurrences of a Campaign that has several.
struct OccurrencesView: Hashable, Sendable {
    /// One Occurrence.
    struct Row: Hashable, Sendable {
        let occurrencePlanned: TimeView
        /// The local time, or the number of the group; `nil` without both.
        let occurrenceName: String?
        let occurrenceState: PillView
        let occurrenceTargeted: String
        let occurrenceAccepted: String
        let occurrenceFailed: String
        let occurrenceOpened: String
        let occurrenceLeft: String
    }

    let occurrenceRows: [Row]
    let occurrencesMore: String?

    /// Creates the table; `nil` when there is but one.
    init?(_ occurrences: Page<Occurrence>, of campaign: Campaign, _ look: Look) {
        guard campaign.schedule != nil || campaign.isGrouped || occurrences.items.count > 1 else { return nil }
        guard !occurrences.items.isEmpty else { return nil }
        let words = CampaignText(look: look)
        occurrenceRows = occurrences.items.map { occurrence in
            let figures = FunnelFigures(occurrence.funnel)
            return Row(
                occurrencePlanned: look.times.table(occurrence.plannedAt),
                occurrenceName: occurrence.group.map { look.texts("occurrence.group", ["number": String($0)]) }
                    ?? occurrence.at?.words,
                occurrenceState: words.state(occurrence.state),
                occurrenceTargeted: look.numbers.full(figures.targeted),
                occurrenceAccepted: look.numbers.full(figures.accepted),
                occurrenceFailed: look.numbers.full(figures.refused + figures.failed),
                occurrenceOpened: look.numbers.full(figures.opened),
                occurrenceLeft: look.numbers.full(occurrence.remaining)
            )
        }
        occurrencesMore = occurrences.nextCursor.map { cursor in
            FormFields([("occurrences", cursor)]).appended(to: AppPath(app: campaign.app).campaign(campaign.id))
                + "#occurrences"
        }
    }
}
