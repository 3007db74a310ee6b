import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension ContentSetPages {
    /// Templates and Audiences that a form offers; ids of others are typed at the API.
    static let offered = 200

    func declareAlerts(_ routes: inout ConsoleRoutes) {
        let one = Self.one + "/alerts/{table}"
        routes.page(one, .app(.admin)) { visit in .page(try await alertForm(visit, .empty)) }
        routes.form(one, .app(.admin)) { visit, state in
            try await alertForm(visit, state)
        } submit: { visit in
            let (set, table) = try await alertTable(visit)
            Self.note(visit, set.name, table.name)
            var members: [String: JSONValue] = [
                "isActive": .bool(visit.form["isActive"] != nil), "isAd": .bool(visit.form["isAd"] != nil),
            ]
            for field in ["template", "bundleTemplate", "bundleAt", "statisticsID"] {
                let text = visit.form.text(field).trimmed
                if !text.isEmpty { members[field] = .string(text) }
            }
            let settings: ContentAlertSettings = try Self.decode(visit, members)
            _ = try await Self.asking(visit) { () async throws(ContentSetError) -> ContentAlert in
                try await content.follows.putAlert(table.name, of: set.name, app: set.app, settings)
            }
            let state = settings.isActive ? "active" : "paused"
            Self.note(visit, set.name, table.name, "alert \(state), template \(settings.template)")
            return .redirect(setPath(visit), Notice("contentSets.alertSaved", ["name": table.name]))
        }
        routes.action(one + "/delete", .app(.admin), on: setPath) { visit in
            let (set, table) = try await alertTable(visit)
            try await contentAnswer(try await content.follows.deleteAlert(table.name, of: set.name, app: set.app))
            Self.note(visit, set.name, table.name, "alert deleted")
            return .redirect(setPath(visit), Notice("contentSets.alertDeleted", ["name": table.name]))
        }
    }

    private func alertTable(_ visit: Visit) async throws -> (ContentSet, ContentTable) {
        let set = try await set(visit)
        return (set, try visit.parameter("table") { set.definition.table($0) })
    }

    private func alertForm(_ visit: Visit, _ state: FormState) async throws -> ContentAlertView {
        let (set, table) = try await alertTable(visit)
        let templates = try await visit.engine.templates.list(app: set.app, after: nil, limit: Self.offered).items
        let keys = try await visit.engine.statistics.keys(app: set.app, after: nil, limit: Self.offered).items
        let alert = try await alert(table.name, of: set)
        return ContentAlertView(alert, table, of: set, templates, keys, state, visit.look)
    }
}

/// The form of an alert as its template shows it.
struct ContentAlertView: PageView {
    static let template = "content-alert"

    let heading: String
    let selects: [SelectView]
    let bundleAt: FieldView
    let isActive: Bool
    let isAd: Bool
    let facts: [FactView]
    let hasFacts: Bool
    /// Whether there is no template yet, without which nothing can be said.
    let hasNoTemplate: Bool
    let formPath: String
    let deletePath: String?
    let backPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(
        _ alert: ContentAlert?,
        _ table: ContentTable,
        of set: ContentSet,
        _ templates: [Template],
        _ keys: [StatisticsKey],
        _ state: FormState,
        _ look: Look
    ) {
        let (texts, settings) = (look.texts, alert?.settings)
        heading = texts("contentSets.alertHeading", ["table": table.name])
        let named = templates.map { (value: $0.id.description, text: $0.name) }
        let none = (value: "", text: texts("contentSets.noneChosen"))
        selects = [
            state.select("template", texts("contentSets.template"), named, standard: settings?.template ?? ""),
            state.select(
                "bundleTemplate",
                texts("contentSets.bundleTemplate"),
                [none] + named,
                standard: settings?.bundleTemplate ?? "",
                hint: texts("contentSets.bundleHint")
            ),
            state.select(
                "statisticsID",
                texts("statistics.id"),
                [none] + keys.map { (value: $0.id.description, text: $0.name) },
                standard: settings?.statisticsID ?? ""
            ),
        ]
        let minute = settings?.bundleMinute ?? 540
        let clock = [minute / 60, minute % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
        bundleAt = state.field("bundleAt", texts("contentSets.bundleAt"), standard: clock, type: "time")
        let isTyped = !state.values.isEmpty
        isActive = isTyped ? state.values["isActive"] != nil : settings?.isActive ?? true
        isAd = isTyped ? state.values["isAd"] != nil : settings?.isAd ?? false
        facts = [
            FactView(texts("contentSets.lastCampaign"), look.table(alert?.state.campaignAt)),
            alert?.state.problem.map { FactView(texts("contentSets.problem"), $0) },
            FactView(texts("contentSets.problemAt"), look.table(alert?.state.problemAt)),
        ].compactMap(\.self)
        hasFacts = !facts.isEmpty
        hasNoTemplate = templates.isEmpty
        let path = AppPath(app: set.app).contentSet(set.name)
        backPath = path
        formPath = path + "/alerts/" + table.name
        deletePath = alert == nil ? nil : path + "/alerts/\(table.name)/delete"
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}
