import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension VariantTable {
    /// What became of each of a Campaign's variants in all of its Occurrences.
    ///
    /// - Returns: One for each variant, in the Campaign's order; `nil` when it has none.
    func variantFigures(of campaign: Campaign) throws -> [VariantCounts]? {
        guard let variants = campaign.variants else { return nil }
        var figures = variants.map { VariantCounts(name: $0.name) }
        try countDeliveries(of: campaign, into: &figures)
        try countEvents(of: campaign, into: &figures)
        return figures
    }

    private func countDeliveries(
        of campaign: Campaign,
        into figures: inout [VariantCounts]
    ) throws {
        let counts = try connection.all(
            """
            SELECT n.variant, n.outcome, CAST(SUM(n.count) AS BIGINT) FROM occurrences o
            JOIN variant_counts n ON n.app_id = $1 AND n.occurrence_id = o.id
            WHERE o.app_id = $1 AND o.campaign_id = $2 GROUP BY n.variant, n.outcome
            """,
            campaign.app,
            campaign.id,
            as: (Int, Int64, Int).self
        )
        for (variant, code, count) in counts where figures.indices.contains(variant) {
            figures[variant].targeted += count
            switch Delivery.Outcome(code: code) {
            case .accepted: figures[variant].accepted += count
            case .skipped: figures[variant].skipped += count
            case .failed, .expired: figures[variant].failed += count
            case nil: break
            }
        }
    }

    private func countEvents(
        of campaign: Campaign,
        into figures: inout [VariantCounts]
    ) throws {
        let counts = try connection.all(
            """
            SELECT n.variant, n.kind, CAST(SUM(n.count) AS BIGINT) FROM occurrences o
            JOIN variant_event_counts n ON n.app_id = $1 AND n.occurrence_id = o.id
            WHERE o.app_id = $1 AND o.campaign_id = $2 GROUP BY n.variant, n.kind
            """,
            campaign.app,
            campaign.id,
            as: (Int, Int64, Int).self
        )
        for (variant, code, count) in counts where figures.indices.contains(variant) {
            if code == EventAccumulator.replyCode { figures[variant].replies += count }
            switch Event.Kind(code: code) {
            case .received: figures[variant].received += count
            case .opened: figures[variant].opened += count
            case .dismissed: figures[variant].dismissed += count
            case .launched: figures[variant].launched += count
            case .action: figures[variant].actions += count
            case nil: break
            }
        }
    }
}
