import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The first page of an App.
enum Overview {
    /// A Campaign that is under way, with its counts.
    struct UnderWay: Hashable, Sendable {
        var campaign: Campaign
        var funnel: Funnel
    }

    /// What the page shows.
    struct Model: Sendable {
        var app: App
        var underWay: [UnderWay]
        var scheduled: [Campaign]
        /// The latest ones, in any state.
        var latest: [Campaign]
        /// Those that an alarm has paused.
        var halted: [Campaign]
        /// The counts of today.
        var today: Figures
        var hasDevices: Bool
        /// The App's first Device when that is a simulated phone.
        var phone: Phone?
        var readAt: Timestamp
    }

    /// A simulated phone.
    struct Phone: Hashable, Sendable {
        var id: DeviceID
        /// Whether it got a notification.
        var hasMessages: Bool
    }

    /// How many of the latest Campaigns are looked at.
    static let lookedAt = 100
    /// How many Campaigns each part of the page shows.
    static let shown = 5

    /// Reads what the page shows.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - zone: The zone of the day.
    ///   - engine: The services.
    /// - Returns: The page's values.
    /// - Throws: ``EngineError``.
    static func read(_ app: App, zone: String, _ engine: Engine) async throws -> Model {
        let campaigns = try await engine.campaigns.list(app: app.id, after: nil, limit: lookedAt).items
        var underWay: [UnderWay] = []
        for campaign in campaigns where CampaignsQuery.Tab.sending.states.contains(campaign.state) {
            guard underWay.count < shown else { break }
            underWay.append(
                UnderWay(
                    campaign: campaign,
                    funnel: try await engine.campaigns.funnel(campaign.id, within: app.id)
                )
            )
        }
        let devices = try await engine.devices.list(app: app.id, user: nil, cursor: nil, limit: 1)
        return Model(
            app: app,
            underWay: underWay,
            scheduled: Array(campaigns.filter { $0.state == .scheduled }.prefix(shown)),
            latest: Array(campaigns.prefix(shown)),
            halted: try await engine.campaigns.halted(app: app.id, limit: shown),
            today: try await today(app.id, zone: zone, engine),
            hasDevices: !devices.items.isEmpty,
            phone: try await phone(devices.items.first, of: app.id, engine),
            readAt: engine.context.clock.now()
        )
    }

    private static func phone(_ device: DeviceRecord?, of app: AppID, _ engine: Engine) async throws -> Phone? {
        guard let device, device.model == SimulatedPhones.model else { return nil }
        let query = MessageLogQuery(app: app, subject: .device(device.device))
        let messages = try await engine.messageLog.page(query, cursor: nil, limit: 1)
        return Phone(id: device.device, hasMessages: !messages.items.isEmpty)
    }

    /// The counts since midnight.
    private static func today(_ app: AppID, zone: String, _ engine: Engine) async throws -> Figures {
        var question = StatisticsQuestion()
        question.unit = .day
        question.timeZone = zone
        question.until = engine.context.clock.now().advanced(by: .milliseconds(1))
        question.from = engine.context.clock.now()
        do throws(EngineError) {
            return try await engine.statistics.series(of: app, question).total
        } catch {
            guard error.isInvalid else { throw error }
            // Days of a zone that is no whole half hours away from UTC cannot be counted.
            question.timeZone = nil
            return try await engine.statistics.series(of: app, question).total
        }
    }
}
