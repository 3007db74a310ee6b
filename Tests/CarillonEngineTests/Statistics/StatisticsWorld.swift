import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// What tests of statistics need of a world.
extension DeliveryWorld {
    var statistics: Statistics {
        Statistics(store: stores.statistics, campaigns: stores.campaigns, sender: sender, ids: ids, clock: time)
    }

    var events: Events { Events(store: stores.events, apps: apps, clock: time, retention: stores.retention) }

    /// Sends a Campaign completely, with retries.
    @discardableResult
    func send(_ request: CampaignRequest) async throws -> Campaign {
        let campaign = try await campaigns.create(app: app, request)
        try await dispatching(dispatcher()) {
            while try await advanceToNextRetry(of: campaign.id) {}
            try await wait(for: .sent, of: campaign.id)
        }
        return try await campaigns.campaign(campaign.id, within: app)
    }

    /// Reports an event of a phone, at a time relative to now.
    @discardableResult
    func report(
        _ kind: Event.Kind,
        of campaign: Campaign,
        device: Int,
        after delay: Duration = .zero,
        action: String? = nil,
        reply: String? = nil
    ) async throws -> EventBatchAnswer {
        let occurrence = try #require(campaign.occurrence)
        let key = try await apps.receiptKey(for: app)
        var event = Event(
            kind,
            occurrence: occurrence,
            receipt: key.receipt(occurrence: occurrence, device: DeviceNumber(rawValue: Int64(device))),
            at: time.now().advanced(by: delay)
        )
        event.action = action
        event.reply = reply
        return try await events.record(app: app, [event])
    }
}

extension StatisticsQuestion {
    init(
        _ from: String? = nil,
        _ until: String? = nil,
        unit: StatisticsUnit? = nil,
        zone: String? = nil,
        keys: [StatisticsID] = []
    ) {
        self.init()
        self.from = from.flatMap(Timestamp.init)
        self.until = until.flatMap(Timestamp.init)
        self.unit = unit
        timeZone = zone
        self.keys = keys
    }
}
