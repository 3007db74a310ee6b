import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Which vendors' calls the server answers for an App.
enum VendorAPIPages {
    static func declare(_ routes: inout ConsoleRoutes) {
        let route = SettingsTab.vendorAPIs.route
        routes.page(route, .app(.admin)) { visit in .page(try await view(visit, .empty)) }
        routes.form(route, .app(.admin), fresh: true) { visit, state in
            try await view(visit, state)
        } submit: { visit in
            try await turnOn(visit)
        }
        routes.action(route + "/{api}/off", .app(.admin), fresh: true, on: page) { visit in
            let api = try visit.parameter("api") { VendorAPI(rawValue: $0) }
            let app = try visit.app.id
            visit.audit.note(object: app.description)
            try await visit.engine.vendorAPIs.turnOff(api, app: app)
            visit.audit.note(object: app.description, change: "\(api.rawValue): on → off")
            return .redirect(page(visit), Notice("vendorAPIs.off"))
        }
    }

    // MARK: - Private

    private static func page(_ visit: Visit) -> String {
        visit.pathApp.map { SettingsTab.vendorAPIs.path(of: $0.id) } ?? ConsolePath.home
    }

    private static func view(_ visit: Visit, _ state: FormState) async throws -> VendorAPIsView {
        let app = try visit.app.id
        return VendorAPIsView(try await visit.engine.vendorAPIs.list(app: app).vendorAPIs, of: app, state, visit.look)
    }

    private static func turnOn(_ visit: Visit) async throws -> Outcome {
        let app = try visit.app.id
        visit.audit.note(object: app.description)
        guard let api = VendorAPI(rawValue: visit.form.text("api")) else {
            throw FormProblems("key", visit.texts("settings.problem.choice"))
        }
        let input = SettingsInput(visit.form, visit.texts)
        var body: [String: JSONValue?] = ["key": input.text("key").map(JSONValue.string)]
        if api != .coimotion { body["secret"] = input.text("secret").map(JSONValue.string) }
        if api == .coimotion { body["coimotion"] = coimotion(input) }
        let request = try input.decoded(VendorAPIRequest.self, body)
        let wasOn = try await visit.engine.vendorAPIs.list(app: app).vendorAPIs.contains { $0.api == api }
        let made: VendorAPISecrets
        do throws(EngineError) {
            made = try await visit.engine.vendorAPIs.turnOn(api, app: app, request)
        } catch {
            guard error.isConflict else { throw error }
            throw FormProblems("key", visit.texts("vendorAPIs.taken"))
        }
        let changes = [
            wasOn ? nil : "\(api.rawValue): off → on",
            made.key == nil && request.key == nil ? nil : "key: changed",
            made.vendorAPI.hasSecret ? "secret: changed" : nil,
            made.vendorAPI.coimotion.map { "code: \($0.code)" },
        ].compactMap(\.self)
        visit.audit.note(object: app.description, change: changes.joined(separator: "; "))
        let rows = [
            made.key.map { SecretPage.Row(visit.texts("vendorAPIs.key"), $0) },
            made.secret.map { SecretPage.Row(visit.texts("vendorAPIs.secret"), $0) },
        ].compactMap(\.self)
        guard !rows.isEmpty else { return .redirect(page(visit), Notice("settings.saved")) }
        let heading = visit.texts.word("vendorAPIs.name", api.rawValue)
        return .page(SecretPage(heading, visit.texts("settings.once"), rows, back: page(visit)))
    }

    /// The settings of COIMOTION; `nil` without a code, which keeps those of an API that is on.
    private static func coimotion(_ input: SettingsInput) -> JSONValue? {
        guard let code = input.text("code") else { return nil }
        var sets: [String: JSONValue] = [:]
        for name in ["twShow", "twCtBus", "cms"] { sets[name] = input.text(name).map(JSONValue.string) }
        var settings: [String: JSONValue] = ["code": .string(code), "contentSets": .object(sets)]
        settings["guestName"] = input.text("guestName").map(JSONValue.string)
        for name in ["stopRadius", "stopLimit"] {
            settings[name] = input.text(name).map { Int64($0).map(JSONValue.integer) ?? .string($0) }
        }
        return .object(settings)
    }
}

/// The vendor APIs as their template shows them.
struct VendorAPIsView: PageView {
    static let template = "vendor-apis"

    /// An API.
    struct Row: Sendable {
        let apiID: String
        let apiName: String
        let apiPill: PillView
        let apiWeakness: String
        let apiTime: TimeView?
        let offPath: String?
        let fields: [SettingsFieldView]
    }

    let heading: String
    let settingsTabs: [TabView]
    let rows: [Row]
    let vendorPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ records: [VendorAPIRecord], of app: AppID, _ state: FormState, _ look: Look) {
        let texts = look.texts
        let path = SettingsTab.vendorAPIs.path(of: app)
        heading = SettingsTab.vendorAPIs.title(texts)
        settingsTabs = SettingsTab.vendorAPIs.tabs(of: app, look)
        vendorPath = path
        rows = VendorAPI.allCases.map { api in
            let record = records.first { $0.api == api }
            // What was typed for one API is no other one's; a key or a secret is typed again.
            let typed = state.values["api"] == api.rawValue ? state.values : FormFields()
            let own = FormState(
                values: typed.setting(["key": nil, "secret": nil]),
                problems: typed.isEmpty ? [] : state.problems
            )
            return Row(
                apiID: api.rawValue,
                apiName: texts.word("vendorAPIs.name", api.rawValue),
                apiPill: PillView(
                    words: texts(record == nil ? "settings.off" : "settings.on"),
                    colour: record == nil ? "muted" : "good"
                ),
                apiWeakness: texts.word("vendorAPIs.weakness", api.rawValue),
                apiTime: look.table(record?.updatedAt),
                offPath: record == nil ? nil : "\(path)/\(api.rawValue)/off",
                fields: Self.fields(api, record?.coimotion).map { SettingsFieldView($0, own, texts) }
            )
        }
        summary = state.summary.map { link in
            let api = state.values["api"] ?? ""
            return SummaryLink(target: link.target.map { "#\(api)-\($0.dropFirst())" }, message: link.message)
        }
        hasSummary = !state.problems.isEmpty
    }

    private static func fields(_ api: VendorAPI, _ saved: CoimotionSettings?) -> [SettingsField] {
        let key = SettingsField("key", .text, "")
        guard api == .coimotion else { return [key, SettingsField("secret", .text, "")] }
        return [
            key, SettingsField("code", .text, saved?.code ?? ""),
            SettingsField("twShow", .text, saved?.contentSets.twShow ?? ""),
            SettingsField("twCtBus", .text, saved?.contentSets.twCtBus ?? ""),
            SettingsField("cms", .text, saved?.contentSets.cms ?? ""),
            SettingsField("guestName", .text, saved?.guestName ?? "guest"),
            SettingsField("stopRadius", saved?.stopRadius ?? 500), SettingsField("stopLimit", saved?.stopLimit ?? 50),
        ]
    }
}
