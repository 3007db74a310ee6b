import CarillonEngine
import HTTPTypes

/// CORE PUSH's and CORE RESEARCH's API, so that apps and back ends that leave the service keep their calls.
///
/// It translates names, checks the vendor's limits and calls the methods that V1 calls. `docs/migrate-from-core-push.md`
/// has what differs, call by call.
struct CorePushAPI: Sendable {
    /// Maximum size in bytes of a form with `request_data`: V1's largest Campaign in base64.
    static let sendingLimit = 3 * 1_024 * 1_024

    let engine: Engine
    let metrics: ServerMetrics

    func declare(_ routes: inout Routes) {
        routes.on(.get, CorePushPath.description, .none("the description")) { _ in
            try APIDescription.corePush.response()
        }
        func access(requiresSecret: Bool, _ limit: Int) -> CorePushAccess {
            CorePushAccess(vendorAPIs: engine.vendorAPIs, requiresSecret: requiresSecret, limit: limit)
        }
        let open = access(requiresSecret: false, BodyLimit.standard)
        let asking = access(requiresSecret: true, BodyLimit.standard)
        let keyed = access(requiresSecret: true, Self.sendingLimit)
        let campaigns = engine.campaigns
        let sending = CorePushSending(campaigns: campaigns, metrics: metrics)
        CorePushTokenRoutes(
            devices: engine.devices,
            metrics: metrics,
            clock: engine.context.clock,
            open: open,
            keyed: keyed
        ).declare(&routes)
        CorePushHistoryRoutes(inboxes: engine.inboxes, open: open).declare(&routes)
        CorePushSendRoutes(campaigns: campaigns, sending: sending, keyed: keyed, asking: asking).declare(&routes)
        CorePushTimingRoutes(campaigns: campaigns, sending: sending, keyed: keyed, asking: asking).declare(&routes)
        CorePushOtherRoutes(
            events: engine.events,
            attributes: engine.attributes,
            apps: engine.apps,
            open: open,
            asking: asking
        ).declare(&routes)
    }
}
