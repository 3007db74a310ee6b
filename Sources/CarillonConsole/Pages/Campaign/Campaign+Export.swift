import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

extension CampaignPage {
    /// Reads the deliveries of a Campaign, one page at a time, Occurrence by Occurrence.
    struct DeliveryReader: Sendable {
        private static let pageSize = 500

        let engine: Engine
        let campaign: CampaignID
        let app: AppID
        private var occurrences: [OccurrenceID] = []
        private var cursorOfOccurrences: String?
        private var hasMoreOccurrences = true
        private var cursor: String?

        init(_ engine: Engine, _ campaign: CampaignID, of app: AppID) {
            self.engine = engine
            self.campaign = campaign
            self.app = app
        }

        /// The lines of the next page; `nil` at the end.
        mutating func next() async throws -> [[String]]? {
            guard let occurrence = try await currentOccurrence() else { return nil }
            let page = try await engine.campaigns.deliveries(
                campaign,
                within: app,
                occurrence: occurrence,
                cursor: cursor,
                limit: Self.pageSize
            )
            cursor = page.nextCursor
            if cursor == nil { occurrences.removeFirst() }
            return page.items.map { $0.cells(of: occurrence) }
        }

        private mutating func currentOccurrence() async throws -> OccurrenceID? {
            while occurrences.isEmpty, hasMoreOccurrences {
                let page = try await engine.campaigns.occurrences(
                    campaign,
                    within: app,
                    cursor: cursorOfOccurrences,
                    limit: 50
                )
                // Those to come have no deliveries.
                occurrences = page.items.filter { $0.startedAt != nil }.compactMap(\.id)
                cursorOfOccurrences = page.nextCursor
                hasMoreOccurrences = page.nextCursor != nil && page.items.contains { $0.id != nil }
            }
            return occurrences.first
        }
    }

    /// The names of the columns of deliveries.
    static let deliveryColumns = ["occurrence", "device", "push_type", "outcome", "reason", "at"]

    /// A file of all deliveries of a Campaign.
    static func export(_ engine: Engine, _ campaign: CampaignID, of app: AppID) -> ResponseBody {
        CSVText.body(header: deliveryColumns, DeliveryReader(engine, campaign, of: app)) { try await $0.next() }
    }

    /// A table of the numbers on the page of a Campaign.
    static func report(_ funnel: Funnel) -> [[String]] {
        let figures = FunnelFigures(funnel)
        var lines = [["name", "reason", "number"]]
        lines += FunnelFigures.Step.allCases.map { [$0.rawValue, "", String(figures.number(of: $0))] }
        lines += [
            ["refused", "", String(figures.refused)], ["failed", "", String(figures.failed)],
            ["remaining", "", String(figures.remaining)], ["deferred", "", String(funnel.deferred)],
            ["dismissed", "", String(figures.dismissed)], ["replies", "", String(figures.replies)],
            ["launched", "", String(figures.launched)],
        ]
        for (name, counts) in [("skipped", funnel.skipped), ("failed", funnel.failed)] {
            lines += counts.sorted { $0.key < $1.key }.map { reason, count in
                let isRefusal = name == "failed" && DeliveryReason.failure(reason).isAnswer
                return [isRefusal ? "refused" : name, reason, String(count)]
            }
        }
        return lines
    }
}

extension Delivery {
    fileprivate func cells(of occurrence: OccurrenceID) -> [String] {
        [
            occurrence.description, device?.description ?? "", pushType.rawValue, outcome.rawValue, reason ?? "",
            at.description,
        ]
    }
}
