import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of one Campaign.
enum CampaignPage {
    /// What the page shows of a Campaign.
    struct Model: Sendable {
        var campaign: Campaign
        var funnel: Funnel
        var failures: [FailureCount]
        var occurrences: Page<Occurrence>
        /// The counts by time; `nil` before it began.
        var series: StatisticsSeries?
        /// What was done to it, the latest first.
        var history: [AuditEntry]
        var readAt: Timestamp
    }

    /// Occurrences on the page.
    static let occurrenceCount = 50
    /// Entries of the audit log on the page.
    static let historyCount = 20
    /// How long after the end events are still drawn.
    private static let eventTime = Duration.seconds(86_400)
    /// How much of a Campaign that repeats is drawn.
    private static let longestTime = Duration.seconds(365 * 86_400)

    /// Reads what the page shows.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Its App.
    ///   - cursor: The cursor of the Occurrences' page before; `nil` for the first.
    ///   - zone: The zone of days in charts.
    ///   - engine: The services.
    /// - Returns: The page's values.
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such Campaign.
    static func read(
        _ id: CampaignID,
        of app: AppID,
        occurrencesAfter cursor: String?,
        zone: String,
        _ engine: Engine
    ) async throws -> Model {
        let campaign = try await engine.campaigns.shown(id, within: app)
        var query = AuditQuery(subject: .object(id.description))
        // An id is unique, and what a key of the server did has its App as well.
        query.app = app
        return Model(
            campaign: campaign,
            funnel: try await engine.campaigns.funnel(id, within: app),
            failures: try await engine.campaigns.failures(id, within: app),
            occurrences: try await engine.campaigns.occurrences(
                id,
                within: app,
                cursor: cursor,
                limit: occurrenceCount
            ),
            series: try await series(of: campaign, zone: zone, engine),
            history: try await engine.audit.entries(query, limit: historyCount).items,
            readAt: engine.context.clock.now()
        )
    }

    /// The counts from the beginning until a day after the end, when most events have come.
    private static func series(
        of campaign: Campaign,
        zone: String,
        _ engine: Engine
    ) async throws -> StatisticsSeries? {
        guard let begin = campaign.startedAt, campaign.occurrence != nil else { return nil }
        let now = engine.context.clock.now().advanced(by: .milliseconds(1))
        let until = campaign.finishedAt.map { min(now, $0.advanced(by: eventTime)) } ?? now
        // The first of several Occurrences began before the last one did.
        let hasSeveral = campaign.schedule != nil || campaign.isGrouped
        let first = max(campaign.createdAt, until.advanced(by: .zero - longestTime))
        var question = StatisticsQuestion()
        (question.from, question.until) = (hasSeveral ? first : begin, until)
        question.timeZone = zone
        guard let from = question.from, from < until else { return nil }
        do throws(EngineError) {
            return try await engine.statistics.series(of: campaign.id, within: campaign.app, question)
        } catch {
            guard error.isInvalid else { throw error }
            // Days of a zone that is no whole half hours away from UTC cannot be counted.
            question.timeZone = nil
            return try await engine.statistics.series(of: campaign.id, within: campaign.app, question)
        }
    }
}
