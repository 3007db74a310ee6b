import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// A typed parameter of a path.
struct PathParameter<Value>: Sendable {
    /// Its name between braces.
    let name: String
    /// The error for a text that does not parse.
    let missing: any Error
    /// Parses the text.
    let read: @Sendable (String) -> Value?

    init(_ name: String, missing: any Error, _ read: @escaping @Sendable (String) -> Value?) {
        self.name = name
        self.missing = missing
        self.read = read
    }

    fileprivate init(_ name: String, _ subject: EngineError.Subject, _ read: @escaping @Sendable (String) -> Value?) {
        self.init(name, missing: EngineError.notFound(subject), read)
    }
}

extension PathParameter<AppID> {
    static var app: Self { Self("app", .app) { AppID($0) } }
}

extension PathParameter<AppKeyKind> {
    static var appKeyKind: Self { Self("kind", missing: Problem.unknownPath) { AppKeyKind(rawValue: $0) } }
}

extension PathParameter<APIKeyID> {
    static var key: Self { Self("key", .key) { APIKeyID($0) } }
}

extension PathParameter<AudienceID> {
    static var audience: Self { Self("audience", .audience) { AudienceID($0) } }
}

extension PathParameter<CampaignID> {
    static var campaign: Self { Self("campaign", .campaign) { CampaignID($0) } }
}

extension PathParameter<DeviceID> {
    static var device: Self { Self("device", .device) { DeviceID($0) } }
}

extension PathParameter<String> {
    /// Parsed by the engine.
    static var occurrence: Self { Self("occurrence", .occurrence) { $0 } }
}

extension PathParameter<String> {
    /// A content set's name, checked by the service.
    static var contentSet: Self { Self("set", .contentSet, named) }
    /// A source's name in a content set, checked by the service.
    static var contentSource: Self { Self("source", .contentSource, named) }
    /// A follow's name in a content set, checked by the service.
    static var contentFollow: Self { Self("follow", .contentFollow, named) }
    static var contentTable: Self { Self("table", .contentSet, named) }

    /// A text that a database can compare: nothing has a name with control characters.
    private static func named(_ text: String) -> String? { text.utf8.allSatisfy { $0 >= 0x20 } ? text : nil }
}

extension PathParameter<ContentAttachmentID> {
    static var contentAttachment: Self { Self("attachment", .contentAttachment) { ContentAttachmentID($0) } }
}

extension PathParameter<OperatorID> {
    static var person: Self { Self("operator", .operator) { OperatorID($0) } }
}

extension PathParameter<NodeID> {
    static var node: Self { Self("node", .node) { NodeID($0) } }
}

extension PathParameter<StatisticsID> {
    static var statistics: Self { Self("statistics", .statisticsKey) { StatisticsID($0) } }
}

extension PathParameter<TagID> {
    static var tag: Self { Self("tag", .tag) { TagID(rawValue: $0) } }
}

extension PathParameter<TemplateID> {
    static var template: Self { Self("template", .template) { TemplateID($0) } }
}

extension PathParameter<UserID> {
    static var user: Self { Self("user", .user) { UserID(rawValue: $0) } }
}

extension PathParameter<VendorAPI> {
    static var vendorAPI: Self { Self("api", .vendorAPI) { VendorAPI(rawValue: $0) } }
}

extension PathParameter<WebhookID> {
    static var webhook: Self { Self("webhook", .webhook) { WebhookID($0) } }
}

extension PathParameter<WebhookMessageID> {
    static var webhookMessage: Self { Self("message", .webhookMessage) { WebhookMessageID($0) } }
}
