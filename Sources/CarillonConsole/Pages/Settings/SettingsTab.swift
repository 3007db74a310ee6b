import CarillonModel

/// A page of an App's settings, in the order of the sub-navigation.
enum SettingsTab: String, CaseIterable, Sendable {
    case general
    case appKeys = "app-keys"
    case apns
    case keys
    case webhooks
    case ads
    case sending
    case accounts
    case userMessages = "user-messages"
    case vendorAPIs = "vendor-apis"
    case testDevices = "test-devices"
    case retention

    /// Its path below the App's.
    var page: String { "settings/" + rawValue }
    /// Its route.
    var route: String { "/apps/{app}/" + page }

    /// Its address.
    func path(of app: AppID) -> String { ConsolePath.app(app, page) }

    /// Its title.
    func title(_ texts: Texts) -> String { texts.word("settings.tab", rawValue) }

    /// The sub-navigation of a page, for the template `settings-tabs`.
    func tabs(of app: AppID, _ look: Look) -> [TabView] {
        Self.allCases.map { tab in
            TabView(words: tab.title(look.texts), path: tab.path(of: app), isCurrent: tab == self)
        }
    }
}
