import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Which Devices the rules for ads cover, and how ads are marked.
enum AdSettings: SettingsForm {
    static let tab = SettingsTab.ads

    static func read(_ visit: Visit) async throws -> App { try await visit.engine.apps.app(try visit.app.id) }

    static func sections(_ app: App, _ texts: Texts) -> [SettingsSection] {
        [
            SettingsSection(
                nil,
                [
                    SettingsField("adRule", app.adRule, texts),
                    SettingsField("adWordPosition", app.adWordPosition, texts),
                ]
            )
        ]
    }

    static func save(_ input: SettingsInput, _ app: App, _ visit: Visit) async throws -> App {
        var input = input
        let rule = input.choice("adRule", app.adRule)
        let position = input.choice("adWordPosition", app.adWordPosition)
        try input.finish()
        var change = AppUpdate()
        change.adRule = rule == app.adRule ? nil : rule
        change.adWordPosition = position == app.adWordPosition ? nil : position
        return try await visit.engine.apps.update(app.id, change)
    }
}

/// Whether and how people have accounts of the App.
enum AccountSettings: SettingsForm {
    static let tab = SettingsTab.accounts

    static func read(_ visit: Visit) async throws -> AccountRules {
        try await visit.engine.accounts.rules(of: try visit.app.id)
    }

    static func sections(_ rules: AccountRules, _ texts: Texts) -> [SettingsSection] {
        [
            SettingsSection(
                nil,
                [
                    SettingsField("isOn", isOn: rules.isOn), SettingsField("signUp", isOn: rules.signUp),
                    SettingsField("guests", isOn: rules.guests),
                    SettingsField("requiresTLS", isOn: rules.requiresTLS),
                    SettingsField("guestsPerHour", rules.guestsPerHour), SettingsField("tokenDays", rules.tokenDays),
                    SettingsField("guestDays", rules.guestDays),
                ]
            )
        ]
    }

    static func save(_ input: SettingsInput, _ saved: AccountRules, _ visit: Visit) async throws -> AccountRules {
        var input = input
        var rules = AccountRules()
        (rules.isOn, rules.signUp) = (input.flag("isOn"), input.flag("signUp"))
        (rules.guests, rules.requiresTLS) = (input.flag("guests"), input.flag("requiresTLS"))
        rules.guestsPerHour = input.integer("guestsPerHour", 1...1_000_000)
        rules.tokenDays = input.integer("tokenDays", 1...365)
        rules.guestDays = input.integer("guestDays", 1...365)
        try input.finish()
        return try await visit.engine.accounts.setRules(rules, of: try visit.app.id)
    }
}

/// Whether and how the App's Users may send messages to each other.
enum UserMessageSettings: SettingsForm {
    /// The rules, and the secret that was made with a new address.
    struct Saved: Sendable {
        var app: AppID
        var rules: UserMessageRules
        var secret: String?
    }

    static let tab = SettingsTab.userMessages
    static var isFresh: Bool { true }

    static func read(_ visit: Visit) async throws -> Saved {
        let app = try visit.app.id
        return Saved(app: app, rules: try await visit.engine.userMessages.rules(of: app))
    }

    static func sections(_ saved: Saved, _ texts: Texts) -> [SettingsSection] {
        let rules = saved.rules
        return [
            SettingsSection(
                nil,
                [
                    SettingsField("isAllowed", isOn: rules.isAllowed), SettingsField("titleLength", rules.titleLength),
                    SettingsField("bodyLength", rules.bodyLength), SettingsField("perDevice", rules.perDevice),
                    SettingsField("perTarget", rules.perTarget), SettingsField("checkURL", .text, rules.checkURL ?? ""),
                ]
            )
        ]
    }

    static func save(_ input: SettingsInput, _ saved: Saved, _ visit: Visit) async throws -> Saved {
        var input = input
        var rules = UserMessageRules()
        rules.isAllowed = input.flag("isAllowed")
        rules.titleLength = input.integer("titleLength", 0...100)
        rules.bodyLength = input.integer("bodyLength", 1...1_000)
        rules.perDevice = input.integer("perDevice", 1...600)
        rules.perTarget = input.integer("perTarget", 1...600)
        rules.checkURL = input.text("checkURL")
        try input.finish()
        do throws(EngineError) {
            let answer = try await visit.engine.userMessages.setRules(rules, of: saved.app)
            return Saved(app: saved.app, rules: answer.rules, secret: answer.secret)
        } catch {
            if error.isConflict { throw FormProblems("isAllowed", visit.texts("settings.problem.openIdentity")) }
            guard error.isInvalid else { throw error }
            throw FormProblems("checkURL", visit.texts("webhooks.problem.url"))
        }
    }

    static func secretPage(_ saved: Saved, _ visit: Visit) throws -> SecretPage? {
        guard let secret = saved.secret else { return nil }
        let rows = [SecretPage.Row(saved.rules.checkURL ?? "", secret)]
        let back = tab.path(of: try visit.app.id)
        return SecretPage(visit.texts("webhooks.secret"), visit.texts("webhooks.secretLead"), rows, back: back)
    }
}

/// For how many days rows are stored.
enum RetentionSettings: SettingsForm {
    static let tab = SettingsTab.retention

    static func read(_ visit: Visit) async throws -> RetentionDays {
        try await visit.engine.retention.days(of: try visit.app.id)
    }

    static func sections(_ days: RetentionDays, _ texts: Texts) -> [SettingsSection] {
        [
            SettingsSection(
                nil,
                [
                    SettingsField("deliveries", days.deliveries), SettingsField("events", days.events),
                    SettingsField("inbox", days.inbox), SettingsField("minutes", days.minutes),
                    SettingsField("campaigns", days.campaigns), SettingsField("lists", days.lists),
                    SettingsField("userMessages", days.userMessages),
                ]
            )
        ]
    }

    static func save(_ input: SettingsInput, _ saved: RetentionDays, _ visit: Visit) async throws -> RetentionDays {
        var input = input
        var days = RetentionDays()
        days.deliveries = input.integer("deliveries", 7...3_650)
        days.events = input.integer("events", 7...3_650)
        days.inbox = input.integer("inbox", 30...3_650)
        days.minutes = input.integer("minutes", 7...3_650)
        days.campaigns = input.integer("campaigns", 30...3_650)
        days.lists = input.integer("lists", 1...3_650)
        days.userMessages = input.integer("userMessages", 1...3_650)
        try input.finish()
        return try await visit.engine.retention.setDays(days, of: try visit.app.id)
    }
}
