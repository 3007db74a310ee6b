package import CarillonModel
package import CarillonOperatorModel

/// One thing that a webhook is told.
package struct WebhookItem: Hashable, Sendable, Encodable {
    package var type: String
    package var campaign: CampaignID?
    package var occurrence: OccurrenceID?
    package var device: DeviceID?
    package var user: UserID?
    package var pushType: PushType?
    /// Why it failed or was kept back; of a Campaign that was paused, its alarm.
    package var reason: String?
    package var action: String?
    package var reply: String?
    /// How a firing of a Campaign ended: `sent` or `cancelled`; `paused` of a Campaign that the server paused.
    package var state: String?
    package var figures: Funnel?
    package var at: Timestamp

    package init(_ topic: WebhookTopic, at: Timestamp) {
        type = topic.rawValue
        self.at = at
    }

    /// What a test delivery carries.
    package static func test(at now: Timestamp) -> WebhookItem {
        var item = WebhookItem(.campaignFinished, at: now)
        item.type = "test"
        return item
    }
}

/// The body of a message: what happened, in no promised order.
struct WebhookBody: Encodable {
    var app: AppID
    var webhook: WebhookID
    var items: [WebhookItem]
}
