import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Templates: messages without an Audience, to be copied into drafts.
enum TemplatePages {
    private static let list = "/apps/{app}/templates"
    private static let one = list + "/{template}"
    /// Campaigns that are looked at for those that name a template.
    static let usesLimit = 200

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(list, .app(.viewer)) { visit in
            let after = visit.query["after"].flatMap { TemplateID($0) }
            let page = try await visit.engine.templates.list(app: try visit.app.id, after: after, limit: 50)
            return .page(TemplatesView(page, isFirst: after == nil, of: try visit.app.id, visit))
        }
        routes.page(list + "/new", .app(.editor)) { visit in .page(try await page(nil, .empty, visit)) }
        routes.form(list + "/new", .app(.editor), bodyLimit: ContentStep.bodyLimit) { visit, state in
            try await page(nil, state, visit)
        } submit: { visit in
            try await save(nil, visit)
        }
        routes.form(list + "/preview", .app(.editor), bodyLimit: ContentStep.bodyLimit) { visit, state in
            try await preview(ContentForm(fields: state.values), visit)
        } submit: { visit in
            visit.audit.noteQuestion()
            return .page(try await preview(ContentForm(fields: visit.form), visit))
        }
        routes.page(one, .app(.viewer)) { visit in .page(try await page(try await found(visit), .empty, visit)) }
        routes.form(one, .app(.editor), bodyLimit: ContentStep.bodyLimit) { visit, state in
            try await page(try await found(visit), state, visit)
        } submit: { visit in
            try await save(try await found(visit), visit)
        }
        routes.action(one + "/delete", .app(.editor), on: path) { visit in
            let template = try await found(visit)
            try await visit.engine.templates.delete(template.id, within: template.app)
            visit.audit.note(object: template.id.description, change: "template deleted")
            return .redirect(AppPath(app: template.app).templates, Notice("templates.deleted", ["name": template.name]))
        }
        routes.action(one + "/draft", .app(.editor), on: path) { visit in try await copy(try await found(visit), visit)
        }
    }

    // MARK: - Private

    private static func found(_ visit: Visit) async throws -> Template {
        let id = try visit.parameter("template") { TemplateID($0) }
        visit.audit.note(object: id.description)
        return try await visit.engine.templates.template(id, within: try visit.app.id)
    }

    private static func path(_ visit: Visit) -> String {
        guard let app = visit.pathApp?.id, let id = visit.parameters["template"].flatMap({ TemplateID($0) }) else {
            return ConsolePath.home
        }
        return AppPath(app: app).template(id)
    }

    private static func preview(_ form: ContentForm, _ visit: Visit) async throws -> ContentPreview {
        try await ContentPreview.read(form.shown, channel: .notification, adWording: nil, visit)
    }

    private static func page(_ template: Template?, _ state: FormState, _ visit: Visit) async throws -> TemplateView {
        let app = try visit.app.id
        let form =
            state.values.isEmpty
            ? template.map { ContentForm($0.message) } ?? ContentForm.blank : ContentForm(fields: state.values)
        let paths = AppPath(app: app)
        let editor = ContentEditor(
            form,
            state,
            preview: try await preview(form, visit),
            path: template.map { paths.template($0.id) } ?? paths.templates + "/new",
            previewPath: paths.templates + "/preview",
            visit.look
        )
        var uses: [Campaign] = []
        if let template {
            uses = try await visit.engine.campaigns.list(app: app, after: nil, limit: usesLimit).items
                .filter { $0.template == template.id }
        }
        return TemplateView(template, editor, uses, state, visit)
    }

    private static func save(_ template: Template?, _ visit: Visit) async throws -> Outcome {
        let (app, form) = (try visit.app.id, ContentForm(fields: visit.form))
        let action = visit.form.text("do")
        if let changed = try action == "preview" ? form.fields : ContentForm.changed(form, action, visit.texts) {
            visit.audit.noteQuestion()
            return .page(try await page(template, FormState(values: changed), visit))
        }
        let name = visit.form.text("name").trimmed
        guard (1...100).contains(name.count) else {
            throw FormProblems("name", visit.texts("problem.length", ["least": "1", "most": "100"]))
        }
        let message = try await ContentChecks.message(
            of: form,
            channel: .notification,
            adWording: nil,
            allowsValues: true,
            visit
        )
        let request = TemplateRequest(name: name, message: message)
        let saved: Template
        do throws(EngineError) {
            if let template {
                saved = try await visit.engine.templates.replace(template.id, within: app, with: request)
            } else {
                saved = try await visit.engine.templates.create(app: app, request)
            }
        } catch {
            guard case .conflict = error else { throw error }
            throw FormProblems("name", visit.texts("templates.nameTaken"))
        }
        let change = template == nil ? "new template" : "template"
        visit.audit.note(object: saved.id.description, change: "\(change): \(saved.name)")
        return .redirect(AppPath(app: app).template(saved.id), Notice("templates.saved", ["name": saved.name]))
    }

    /// A draft with the template's message; later changes of the template leave it alone.
    private static func copy(_ template: Template, _ visit: Visit) async throws -> Outcome {
        let app = try visit.app
        let made = try await ComposerDrafts.make(named: template.name, of: app, visit)
        let draft = ComposerDraft(made, of: app)
        var update = CampaignUpdate()
        update.message = template.message
        switch try await ComposerDrafts.save(update, of: draft, version: draft.version, from: .draft, visit) {
        case .saved(let campaign):
            visit.audit.note(object: campaign.id.description, change: "new draft of \(template.id)")
            return .redirect(AppPath(app: app.id).edit(campaign.id, .content), Notice("templates.copied"))
        case .outdated: throw EngineError.conflict("The draft changed at once.")
        }
    }
}

extension AppPath {
    var templates: String { home + "/templates" }

    func template(_ id: TemplateID) -> String { "\(templates)/\(id)" }
}
