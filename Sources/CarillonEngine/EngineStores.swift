/// The stores of an engine's services.
package protocol EngineStores: Sendable {
    var apps: any AppStore { get }
    var apiKeys: any APIKeyStore { get }
    var appDeletions: any AppDeletionStore { get }
    var devices: any DeviceStore { get }
    var tags: any TagStore { get }
    var attributes: any AttributeStore { get }
    var registry: RegistryStores { get }
    var events: any EventStore { get }
    var idempotency: any IdempotencyStore { get }
    var campaigns: any CampaignStore { get }
    var inboxes: any InboxStore { get }
    var statistics: any StatisticsStore { get }
    var webhooks: any WebhookStore { get }
    var audiences: any AudienceStore { get }
    var templates: any TemplateStore { get }
    var consents: any ConsentStore { get }
    var retention: any RetentionStore { get }
    var userMessages: any UserMessageStore { get }
    var messageLog: any MessageLogStore { get }
    var audit: any AuditStore { get }
    var vendorAPIs: any VendorAPIStore { get }
    var accounts: any AccountStore { get }
    var operators: any OperatorStore { get }
    var nodes: any NodeStore { get }
    var pushKeys: any PushKeyStore { get }
    var testDevices: any TestDeviceStore { get }
}
