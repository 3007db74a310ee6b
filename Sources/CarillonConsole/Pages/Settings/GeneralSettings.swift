import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The App's name, and what holds for its Devices and Users.
enum GeneralSettings: SettingsForm {
    static let tab = SettingsTab.general

    static func read(_ visit: Visit) async throws -> App { try await visit.engine.apps.app(try visit.app.id) }

    static func sections(_ app: App, _ texts: Texts) -> [SettingsSection] {
        // From signed there is no way back.
        let identities: [App.Identity] = app.identity == .signed ? [.signed] : [.open, .signed]
        return [
            SettingsSection(nil, [SettingsField("name", .text, app.name)]),
            SettingsSection(
                "people",
                [
                    SettingsField("identity", app.identity, texts, among: identities),
                    SettingsField("personalMessages", isOn: app.personalMessages),
                    SettingsField("tokensPerUser", app.tokensPerUser, texts),
                    SettingsField("tokenLifetimeDays", app.tokenLifetimeDays),
                ]
            ),
            SettingsSection(
                "payload",
                [SettingsField("payloadLimit", app.payloadLimit ?? App.payloadLimits.upperBound)]
            ),
        ]
    }

    static func facts(_ app: App, _ look: Look) -> [FactView] {
        let texts = look.texts
        return [
            FactView(texts("settings.bundleID"), code: app.bundleID),
            FactView(texts("settings.appID"), code: app.id.description),
            FactView(texts("home.created"), look.table(app.createdAt)),
        ].compactMap(\.self)
    }

    static func links(_ visit: Visit) -> [SettingsLink] {
        guard let app = visit.pathApp?.id else { return [] }
        let path = ConsolePath.app(app, "settings/delete")
        return [SettingsLink(linkTitle: visit.texts("deleteApp.heading"), linkPath: path)]
    }

    static func save(_ input: SettingsInput, _ app: App, _ visit: Visit) async throws -> App {
        var input = input
        var change = AppUpdate()
        let name = input.text("name", 1...100)
        let tokens = input.choice("tokensPerUser", app.tokensPerUser)
        let lifetime = input.integer("tokenLifetimeDays", App.tokenLifetimes)
        let limit = input.integer("payloadLimit", App.payloadLimits)
        let identity = input.choice("identity", app.identity)
        if app.identity == .signed, identity == .open { input.add("identity", visit.texts("settings.problem.choice")) }
        try input.finish()
        // Only what differs, so that nothing of others is written back.
        change.name = name == app.name ? nil : name
        change.tokensPerUser = tokens == app.tokensPerUser ? nil : tokens
        change.tokenLifetimeDays = lifetime == app.tokenLifetimeDays ? nil : lifetime
        change.payloadLimit = limit == app.payloadLimit ?? App.payloadLimits.upperBound ? nil : limit
        change.identity = identity == app.identity ? nil : identity
        let isPersonal = input.flag("personalMessages")
        change.personalMessages = isPersonal == app.personalMessages ? nil : isPersonal
        return try await visit.engine.apps.update(app.id, change)
    }
}
