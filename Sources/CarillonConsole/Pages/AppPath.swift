import CarillonModel
import CarillonOperatorModel

/// The addresses of an App's pages.
struct AppPath: Hashable, Sendable {
    let app: AppID

    var home: String { ConsolePath.app(app) }
    var campaigns: String { home + "/campaigns" }
    var devices: String { home + "/devices" }
    var users: String { home + "/users" }
    var statistics: String { home + "/statistics" }
    var webhooks: String { home + "/settings/webhooks" }
    var apns: String { home + "/settings/apns" }

    func campaigns(_ query: CampaignsQuery) -> String { query.fields.appended(to: campaigns) }

    func campaign(_ id: CampaignID) -> String { "\(campaigns)/\(id)" }

    func device(_ id: DeviceID) -> String { "\(devices)/\(id)" }

    func user(_ id: UserID) -> String { users + "/" + FormFields.escaped(id.rawValue) }

    func webhook(_ id: WebhookID) -> String { "\(webhooks)/\(id)" }
}
