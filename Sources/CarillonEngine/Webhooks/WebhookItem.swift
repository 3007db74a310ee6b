package import CarillonModel
package import CarillonOperatorModel

/// One item of a message to a webhook.
package struct WebhookItem: Hashable, Sendable, Encodable {
    package var type: String
    package var campaign: CampaignID?
    package var occurrence: OccurrenceID?
    package var device: DeviceID?
    package var user: UserID?
    package var pushType: PushType?
    /// Why it failed or was skipped; for a paused Campaign, its alarm.
    package var reason: String?
    package var action: String?
    package var reply: String?
    /// How a firing of a Campaign ended: `sent` or `cancelled`; `paused` for a Campaign that an alarm paused.
    package var state: String?
    package var figures: Funnel?
    package var at: Timestamp

    package init(_ topic: WebhookTopic, at: Timestamp) {
        type = topic.rawValue
        self.at = at
    }

    /// The item of a test delivery.
    package static func test(at now: Timestamp) -> WebhookItem {
        var item = WebhookItem(.campaignFinished, at: now)
        item.type = "test"
        return item
    }
}

/// The body of a message: its items, in no particular order.
struct WebhookBody: Encodable {
    var app: AppID
    var webhook: WebhookID
    var items: [WebhookItem]
}
