import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The API keys of an App.
enum APIKeyPages {
    static let pageSize = 50
    /// For how many days a key may be valid: ten years.
    static let lifetimes = 1...3_650

    static func declare(_ routes: inout ConsoleRoutes) {
        let route = SettingsTab.keys.route
        routes.page(route, .app(.admin)) { visit in .page(try await view(visit, .empty)) }
        routes.form(route, .app(.admin), fresh: true) { visit, state in
            try await view(visit, state)
        } submit: { visit in
            try await create(visit)
        }
        routes.action(route + "/{key}/revoke", .app(.admin), fresh: true, on: page) { visit in
            let key = try visit.parameter("key") { APIKeyID($0) }
            visit.audit.note(object: key.description)
            try await visit.engine.access.revokeKey(key, within: try visit.app.id)
            visit.audit.note(object: key.description, change: "revoked")
            return .redirect(page(visit), Notice("keys.revoked"))
        }
    }

    // MARK: - Private

    private static func page(_ visit: Visit) -> String {
        visit.pathApp.map { SettingsTab.keys.path(of: $0.id) } ?? ConsolePath.home
    }

    private static func view(_ visit: Visit, _ state: FormState) async throws -> APIKeysView {
        let app = try visit.app.id
        let after = visit.query["after"].flatMap { APIKeyID($0) }
        let keys = try await visit.engine.access.keys(app: app, after: after, limit: pageSize)
        return APIKeysView(keys, isFirst: after == nil, of: app, state, at: visit.now, visit.look)
    }

    private static func create(_ visit: Visit) async throws -> Outcome {
        let app = try visit.app.id
        var input = SettingsInput(visit.form, visit.texts)
        let name = input.text("name", 1...100)
        let scopes = APIKeyScope.allCases.filter { input.flag("scope-" + $0.rawValue) }
        if scopes.isEmpty { input.add("scope-" + APIKeyScope.read.rawValue, visit.texts("keys.scopeMissing")) }
        let days = input.optionalInteger("days", lifetimes)
        let perCampaign = input.optionalInteger("recipientsPerCampaign", APIKey.recipientLimits)
        let perHour = input.optionalInteger("recipientsPerHour", APIKey.recipientLimits)
        try input.finish()
        var request = APIKeyRequest(name: name, scopes: scopes)
        // Nothing in a field is no limit, as the page says.
        request.recipientsPerCampaign = .some(perCampaign)
        request.recipientsPerHour = .some(perHour)
        request.expiresAt = days.map { visit.now.advanced(by: .seconds(86_400 * Int64($0))) }
        let made = try await visit.engine.access.createKey(app: app, request)
        let words = scopes.map(\.rawValue).joined(separator: " ")
        visit.audit.note(object: made.key.id.description, change: "created: \(name), \(words); secret: changed")
        let rows = [SecretPage.Row(name, made.secret)]
        return .page(SecretPage(visit.texts("keys.new"), visit.texts("keys.once"), rows, back: page(visit)))
    }
}

/// The API keys as their template shows them.
struct APIKeysView: PageView {
    static let template = "api-keys"

    /// A key.
    struct Row: Hashable, Sendable {
        let keyName: String
        let keyID: String
        let scopeWords: String
        let capWords: String
        let keyCreated: TimeView
        let keyUsed: TimeView?
        let keyExpires: TimeView?
        let isExpired: Bool
        let revokePath: String
        let revokeLabel: String
    }

    let heading: String
    let settingsTabs: [TabView]
    let rows: [Row]
    let hasRows: Bool
    let paging: PagingView?
    let keysPath: String
    let keyNameField: FieldView
    let scopes: [CheckView]
    let days: FieldView
    let perCampaign: FieldView
    let perHour: FieldView
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ keys: Page<APIKey>, isFirst: Bool, of app: AppID, _ state: FormState, at now: Timestamp, _ look: Look) {
        let texts = look.texts
        let path = SettingsTab.keys.path(of: app)
        heading = SettingsTab.keys.title(texts)
        settingsTabs = SettingsTab.keys.tabs(of: app, look)
        rows = keys.items.map { key in
            Row(
                keyName: key.name,
                keyID: key.id.description,
                scopeWords: look.list(key.scopes.map { texts.word("keys.scope", $0.rawValue) }),
                capWords: texts(
                    "keys.caps",
                    [
                        "campaign": key.recipientsPerCampaign.map { look.numbers.full($0) } ?? "–",
                        "hour": key.recipientsPerHour.map { look.numbers.full($0) } ?? "–",
                    ]
                ),
                keyCreated: look.times.table(key.createdAt),
                keyUsed: look.table(key.lastUsedAt),
                keyExpires: look.table(key.expiresAt),
                isExpired: key.expiresAt.map { $0 <= now } ?? false,
                revokePath: "\(path)/\(key.id)/revoke",
                revokeLabel: texts("keys.revokeNamed", ["name": key.name])
            )
        }
        hasRows = !rows.isEmpty
        paging = PagingView(isFirst: isFirst, next: keys.nextCursor, at: path) { cursor in
            FormFields().setting(["after": cursor])
        }
        keysPath = path
        keyNameField = state.field("name", texts("keys.name"), hint: texts("keys.nameHint"))
        scopes = APIKeyScope.allCases.map { scope in
            CheckView(
                name: "scope-" + scope.rawValue,
                label: texts.word("keys.scope", scope.rawValue),
                checkHint: texts.word("keys.scopeHint", scope.rawValue),
                isChecked: state.values["scope-" + scope.rawValue] != nil
            )
        }
        days = state.field("days", texts("keys.days"), hint: texts("keys.daysHint"), type: "number")
        perCampaign = state.field(
            "recipientsPerCampaign",
            texts("keys.perCampaign"),
            hint: texts("keys.capHint"),
            standard: "10000",
            type: "number"
        )
        perHour = state.field(
            "recipientsPerHour",
            texts("keys.perHour"),
            hint: texts("keys.capHint"),
            standard: "50000",
            type: "number"
        )
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}
