package import CarillonOperatorModel

/// Topics as stored bits; a bit never changes its meaning.
package struct WebhookTopics: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package init(_ topics: [WebhookTopic]) { self.init(topics.map { WebhookTopics($0) }) }

    package init(_ topic: WebhookTopic) { rawValue = 1 << Self.bit(of: topic) }

    /// In the order of declaration.
    package var topics: [WebhookTopic] { WebhookTopic.allCases.filter { contains(WebhookTopics($0)) } }

    /// The topics of a commit's notifications.
    package static let deliveries = WebhookTopics([.deliveryAccepted, .deliveryFailed, .deliverySkipped, .tokenInvalid])
    /// The topics of phones' events.
    package static let events = WebhookTopics(
        [.eventReceived, .eventOpened, .eventDismissed, .eventLaunched, .eventAction]
    )

    private static func bit(of topic: WebhookTopic) -> Int64 {
        switch topic {
        case .campaignFinished: 0
        case .deliveryAccepted: 1
        case .deliveryFailed: 2
        case .deliverySkipped: 3
        case .tokenInvalid: 4
        case .eventReceived: 5
        case .eventOpened: 6
        case .eventDismissed: 7
        case .eventLaunched: 8
        case .eventAction: 9
        case .campaignHalted: 10
        }
    }
}
