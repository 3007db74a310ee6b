import CarillonModel
import CarillonOperatorModel

/// A page of settings as its template shows it.
struct SettingsView: PageView {
    static let template = "settings"

    /// Fields under a heading.
    struct Section: Sendable {
        let sectionTitle: String?
        let fields: [SettingsFieldView]
    }

    /// A value that somebody else saved meanwhile, beside the one that was typed.
    struct Difference: Hashable, Sendable {
        let differenceName: String
        let savedWords: String
        let typedWords: String
    }

    let heading: String
    let settingsTabs: [TabView]
    let leadText: String?
    let facts: [FactView]
    let hasFacts: Bool
    let sections: [Section]
    let settingsPath: String
    let seen: String
    let settingsLinks: [SettingsLink]
    let hasLinks: Bool
    let summary: [SummaryLink]
    let hasSummary: Bool
    /// Who saved meanwhile; `nil` without a conflict.
    var conflictWords: String?
    var differences: [Difference] = []

    init(
        _ tab: SettingsTab,
        _ sections: [SettingsSection],
        facts: [FactView],
        links: [SettingsLink],
        _ state: FormState,
        of app: App,
        _ look: Look
    ) {
        let texts = look.texts
        heading = tab.title(texts)
        settingsTabs = tab.tabs(of: app.id, look)
        let lead = texts.word("settings.lead", tab.rawValue)
        leadText = lead == tab.rawValue ? nil : lead
        self.facts = facts
        hasFacts = !facts.isEmpty
        self.sections = sections.map { section in
            Section(
                sectionTitle: section.title.map { texts.word("settings.section", $0) },
                fields: section.fields.map { SettingsFieldView($0, state, texts) }
            )
        }
        settingsPath = tab.path(of: app.id)
        seen = SettingsVersion.text(of: sections)
        settingsLinks = links
        hasLinks = !links.isEmpty
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}

/// Secrets that are shown once.
struct SecretPage: PageView {
    static let template = "secret"

    /// One of them.
    struct Row: Hashable, Sendable {
        let secretName: String
        let secretValue: String
        /// Who needs it.
        let secretHint: String?

        init(_ name: String, _ value: String, hint: String? = nil) {
            (secretName, secretValue, secretHint) = (name, value, hint)
        }
    }

    let heading: String
    let secretLead: String
    let rows: [Row]
    let backPath: String

    init(_ heading: String, _ lead: String, _ rows: [Row], back: String) {
        (self.heading, secretLead, self.rows, backPath) = (heading, lead, rows, back)
    }
}
