import CarillonEngine
import CarillonOperatorModel
import HTTPTypes

/// TOAST Push's REST API (NHN Cloud Push) v2.0 through v2.4, so that a team that leaves the service keeps its calls.
///
/// It translates names, checks the vendor's limits and calls the methods that V1 calls. `docs/migrate-from-toast-push.md`
/// has what differs, call by call.
struct ToastPushAPI: Sendable {
    let engine: Engine
    let metrics: ServerMetrics

    func declare(_ routes: inout Routes) {
        routes.on(.get, ToastPath.root + "openapi.yaml", .none("the description")) { _ in
            try APIDescription.toastPush.response()
        }
        let open = ToastAccess(vendorAPIs: engine.vendorAPIs, requiresSecret: false)
        let keyed = ToastAccess(vendorAPIs: engine.vendorAPIs, requiresSecret: true)
        let campaigns = engine.campaigns
        let users = engine.registry.users
        let messages = ToastMessages(campaigns: campaigns, clock: engine.context.clock)
        ToastTokenRoutes(
            devices: engine.devices,
            users: users,
            campaigns: campaigns,
            messages: messages,
            open: open,
            keyed: keyed
        ).declare(&routes)
        ToastTagRoutes(tags: engine.tags, users: users, devices: engine.devices, keyed: keyed).declare(&routes)
        ToastUserRoutes(tags: engine.tags, users: users, apps: engine.apps, open: open, keyed: keyed).declare(&routes)
        ToastMessageRoutes(campaigns: campaigns, messages: messages, metrics: metrics, keyed: keyed).declare(&routes)
        ToastLogRoutes(
            log: engine.messageLog,
            campaigns: campaigns,
            devices: engine.devices,
            messages: messages,
            keyed: keyed
        ).declare(&routes)
        ToastReservationRoutes(campaigns: campaigns, messages: messages, metrics: metrics, keyed: keyed).declare(
            &routes
        )
        ToastStatisticsRoutes(statistics: engine.statistics, messages: messages, keyed: keyed).declare(&routes)
    }
}
