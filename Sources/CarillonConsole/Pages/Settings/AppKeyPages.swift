import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The App's own keys: which former ones are valid still, and new ones in their place.
enum AppKeyPages {
    static func declare(_ routes: inout ConsoleRoutes) {
        let route = SettingsTab.appKeys.route
        routes.page(route, .app(.admin)) { visit in .page(try await view(visit, .empty)) }
        routes.form(route, .app(.admin), fresh: true) { visit, state in
            try await view(visit, state)
        } submit: { visit in
            try await rotate(visit)
        }
        routes.action(route + "/{kind}/end-former", .app(.admin), fresh: true, on: page) { visit in
            let kind = try visit.parameter("kind") { AppKeyKind(rawValue: $0) }
            let app = try visit.app.id
            visit.audit.note(object: app.description)
            let former = try await visit.engine.apps.app(app).formerKeys?.count { $0.kind == kind } ?? 0
            _ = try await visit.engine.apps.endFormerKeys(kind, of: app)
            visit.audit.note(object: app.description, change: "former \(kind.rawValue): \(former) → 0")
            return .redirect(page(visit), Notice("appKeys.ended"))
        }
    }

    // MARK: - Private

    private static func page(_ visit: Visit) -> String {
        visit.pathApp.map { SettingsTab.appKeys.path(of: $0.id) } ?? ConsolePath.home
    }

    private static func view(_ visit: Visit, _ state: FormState) async throws -> AppKeysView {
        AppKeysView(try await visit.engine.apps.app(try visit.app.id), state, visit.look)
    }

    private static func rotate(_ visit: Visit) async throws -> Outcome {
        let app = try visit.app
        visit.audit.note(object: app.id.description)
        var input = SettingsInput(visit.form, visit.texts)
        let kinds = AppKeyKind.allCases.filter { input.flag($0.rawValue) }
        if kinds.isEmpty { input.add(AppKeyKind.appKey.rawValue, visit.texts("appKeys.kindMissing")) }
        let hours = input.optionalInteger("overlapHours", AppKeyRotation.overlaps)
        try input.finish()
        let new: RotatedAppKeys
        do throws(EngineError) {
            new = try await visit.engine.apps.rotateKeys(app.id, AppKeyRotation(kinds, overlapHours: hours))
        } catch {
            guard error.isConflict else { throw error }
            throw FormProblems(kinds[0].rawValue, visit.texts("appKeys.tooMany"))
        }
        visit.audit.note(
            object: app.id.description,
            change: kinds.map { "\($0.rawValue): changed" }.joined(separator: "; ")
        )
        let rows = [
            new.appKey.map { SecretPage.Row(visit.texts("appKeys.kind.appKey"), $0) },
            new.identitySecret.map { SecretPage.Row(visit.texts("appKeys.kind.identitySecret"), $0) },
        ].compactMap(\.self)
        guard !rows.isEmpty else { return .redirect(page(visit), Notice("appKeys.rotated")) }
        return .page(SecretPage(visit.texts("appKeys.new"), visit.texts("settings.once"), rows, back: page(visit)))
    }
}

/// The App's keys as their template shows them.
struct AppKeysView: PageView {
    static let template = "app-keys"

    /// A kind of key.
    struct Row: Hashable, Sendable {
        let kindName: String
        let kindUse: String
        let formerCount: String
        let formerEnd: TimeView?
        /// Where former ones are ended; `nil` without any.
        let endPath: String?
    }

    let heading: String
    let settingsTabs: [TabView]
    let rows: [Row]
    let kinds: [CheckView]
    let overlap: FieldView
    let rotatePath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ app: App, _ state: FormState, _ look: Look) {
        let texts = look.texts
        let path = SettingsTab.appKeys.path(of: app.id)
        heading = SettingsTab.appKeys.title(texts)
        settingsTabs = SettingsTab.appKeys.tabs(of: app.id, look)
        rows = AppKeyKind.allCases.map { kind in
            let former = (app.formerKeys ?? []).filter { $0.kind == kind }
            return Row(
                kindName: texts.word("appKeys.kind", kind.rawValue),
                kindUse: texts.word("appKeys.use", kind.rawValue),
                formerCount: look.numbers.full(former.count),
                formerEnd: look.table(former.map(\.endsAt).max()),
                endPath: former.isEmpty ? nil : "\(path)/\(kind.rawValue)/end-former"
            )
        }
        kinds = AppKeyKind.allCases.map { kind in
            CheckView(
                name: kind.rawValue,
                label: texts.word("appKeys.kind", kind.rawValue),
                checkHint: nil,
                isChecked: state.values[kind.rawValue] != nil
            )
        }
        overlap = state.field(
            "overlapHours",
            texts("appKeys.overlap"),
            hint: texts("appKeys.overlapHint"),
            type: "number"
        )
        rotatePath = path
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}
