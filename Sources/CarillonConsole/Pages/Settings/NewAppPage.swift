import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page that makes an App.
enum NewAppPage {
    static let path = ConsolePath.root + "/apps/new"

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page("/apps/new", .everywhere(.admin)) { visit in .page(View(visit.look, .empty)) }
        routes.form("/apps/new", .everywhere(.admin), fresh: true) { visit, state in
            View(visit.look, state)
        } submit: { visit in
            try await create(visit)
        }
    }

    private static func create(_ visit: Visit) async throws -> Outcome {
        var input = SettingsInput(visit.form, visit.texts)
        let name = input.text("name", 1...100)
        let bundleID = input.text("bundleID", 1...155)
        let identity = input.choice("identity", App.Identity.signed)
        try input.finish()
        let request = try input.decoded(
            AppRequest.self,
            ["name": .string(name), "bundleID": .string(bundleID), "identity": .string(identity.rawValue)]
        )
        let made = try await visit.engine.apps.create(request)
        visit.audit.note(app: made.app.id)
        visit.audit.note(
            object: made.app.id.description,
            change: "created: \(name), \(bundleID); appKey: changed; identitySecret: changed"
        )
        let rows = [
            SecretPage.Row(
                visit.texts("appKeys.kind.appKey"),
                made.appKey,
                hint: visit.texts("newApp.appKeyHint")
            ),
            SecretPage.Row(
                visit.texts("appKeys.kind.identitySecret"),
                made.identitySecret,
                hint: visit.texts("newApp.identityHint")
            ),
        ]
        let back = ConsolePath.app(made.app.id)
        return .page(SecretPage(visit.texts("newApp.made"), visit.texts("settings.once"), rows, back: back))
    }

    /// The form.
    struct View: PageView {
        static let template = "new-app"

        let heading: String
        let appName: FieldView
        let bundleID: FieldView
        let identity: SelectView
        let newAppPath: String
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ look: Look, _ state: FormState) {
            let texts = look.texts
            heading = texts("newApp.heading")
            appName = state.field("name", texts("setting.name"), hint: texts("newApp.nameHint"))
            bundleID = state.field("bundleID", texts("settings.bundleID"), hint: texts("newApp.bundleHint"))
            identity = state.select(
                "identity",
                texts("setting.identity"),
                [App.Identity.signed, .open].map { ($0.rawValue, texts.word("setting.identity", $0.rawValue)) },
                standard: App.Identity.signed.rawValue,
                hint: texts("setting.hint.identity")
            )
            newAppPath = NewAppPage.path
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }
}

/// The page that deletes an App, whose name is typed.
enum DeleteAppPage {
    static let route = "/apps/{app}/settings/delete"

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(route, .app(.admin)) { visit in .page(View(try visit.app, visit, .empty)) }
        routes.form(route, .app(.admin), fresh: true) { visit, state in
            View(try visit.app, visit, state)
        } submit: { visit in
            let app = try visit.app
            visit.audit.note(object: app.id.description)
            guard visit.form.text("name").trimmed == app.name.trimmed else {
                throw FormProblems("name", visit.texts("deleteApp.nameWrong"))
            }
            // As in the API: who may administer one App alone ends no App.
            try visit.session.require(.admin, in: nil)
            try await visit.engine.appDeletions.delete(app.id)
            visit.audit.note(object: app.id.description, change: "deleted: \(app.name)")
            return .redirect(ConsolePath.home, Notice("deleteApp.done", ["name": app.name]))
        }
    }

    /// The form.
    struct View: PageView {
        static let template = "delete-app"

        let heading: String
        let settingsTabs: [TabView]
        let deleteLead: String
        let mayDelete: Bool
        let appName: FieldView
        let deletePath: String
        let backPath: String
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ app: App, _ visit: Visit, _ state: FormState) {
            let texts = visit.texts
            heading = texts("deleteApp.heading")
            settingsTabs = SettingsTab.general.tabs(of: app.id, visit.look)
            deleteLead = texts("deleteApp.lead", ["app": app.name])
            mayDelete = visit.session.role(in: nil) == .admin
            appName = state.field("name", texts("deleteApp.name"))
            deletePath = ConsolePath.app(app.id, "settings/delete")
            backPath = SettingsTab.general.path(of: app.id)
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }
}
