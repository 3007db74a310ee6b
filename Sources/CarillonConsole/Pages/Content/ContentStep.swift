import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The step Content of the composer.
enum ContentStep: ComposerStep {
    static let name = ComposerStepName.content
    static let bodyLimit = 2 * 1_024 * 1_024

    static func standing(of draft: ComposerDraft, _ visit: Visit) async throws -> ComposerStanding {
        guard !draft.lacksMessage, !draft.campaign.message.isUnwritten else { return .toDo }
        let count = draft.campaign.message.barePlaces.count
        return count == 0 ? .done : .problems(count)
    }

    static func show(
        _ draft: ComposerDraft,
        _ shell: ComposerShell,
        _ state: FormState,
        _ visit: Visit
    ) async throws -> any PageView {
        var form = ContentForm(draft.campaign.message)
        if !state.values.isEmpty {
            form = ContentForm(fields: state.values)
        } else if visit.query["tab"] == "json" {
            let message = draft.campaign.message
            let json = ContentForm.pretty(message.isUnwritten ? ContentForm.blank.json : ContentForm(message).json)
            form = ContentForm(fields: form.fields.setting(["tab": "json", "json": json]))
        }
        let paths = AppPath(app: draft.app.id)
        let path = paths.edit(draft.id, .content)
        let preview = try await preview(of: form, draft, visit)
        let editor = ContentEditor(
            form,
            state,
            preview: preview,
            path: path,
            previewPath: path + "/preview",
            visit.look
        )
        return ContentStepView(
            shell: shell,
            editor: editor,
            test: try await TestSendView.read(draft, form, state, visit),
            templates: try await templates(of: draft.app.id, visit)
        )
    }

    static func read(_ draft: ComposerDraft, _ visit: Visit) async throws -> ComposerEdit {
        let form = ContentForm(fields: visit.form)
        let action = visit.form.text("do")
        if let fields = try await changed(form, action, draft, visit) {
            visit.audit.noteQuestion()
            return .again(fields)
        }
        // A draft may be left without content, as it was made.
        if form.isBlank, form.fields["tab"] == nil, draft.campaign.message.isUnwritten, action != "test" {
            return .save(CampaignUpdate())
        }
        var update = CampaignUpdate()
        update.message = try await ContentChecks.message(
            of: form,
            channel: draft.campaign.channel,
            adWording: draft.adWording,
            visit
        )
        guard action == "test" else { return .save(update) }
        return try await TestSend.send(update, of: draft, visit)
    }

    /// The drawings of what is typed.
    static func preview(of form: ContentForm, _ draft: ComposerDraft, _ visit: Visit) async throws -> ContentPreview {
        var message = form.shown
        if form.fields["tab"] == "json", case .success(let read) = ContentForm.read(json: form.fields.text("json")) {
            message = read
        }
        return try await ContentPreview.read(
            message,
            channel: draft.campaign.channel,
            adWording: draft.adWording,
            visit
        )
    }

    // MARK: - Private

    /// The form after a button that only changes it; `nil` for one that saves.
    private static func changed(
        _ form: ContentForm,
        _ action: String,
        _ draft: ComposerDraft,
        _ visit: Visit
    ) async throws -> FormFields? {
        switch action {
        case "preview": return form.fields
        case "use-template":
            guard let id = TemplateID(visit.form.text("template")) else { return form.fields }
            let template = try await visit.engine.templates.template(id, within: draft.app.id)
            let kept = form.fields.all.filter { ["version", "name", ComposerShell.stateField].contains($0.name) }
            return FormFields(ContentForm(template.message).fields.all + kept)
        default: return try ContentForm.changed(form, action, visit.texts)
        }
    }

    private static func templates(of app: AppID, _ visit: Visit) async throws -> SelectView {
        let templates = try await visit.engine.templates.list(app: app, after: nil, limit: 200).items
        return FormState.empty.select(
            "template",
            visit.texts("content.template"),
            templates.map { ($0.id.description, $0.name) }
        )
    }
}

extension ContentForm {
    /// The form of a message that nobody has written.
    static let blank = ContentForm(fields: FormFields())

    /// The form after "Add language" or "Remove"; `nil` for other buttons.
    static func changed(_ form: ContentForm, _ action: String, _ texts: Texts) throws -> FormFields? {
        if action == "add-language" {
            let tag = form.fields.text("addLanguage").trimmed
            guard LanguageName.isTag(tag) else {
                throw FormProblems("addLanguage", texts("content.problem.language"))
            }
            let languages = form.languages + [tag]
            return FormFields(
                form.fields.all.filter { $0.name != "language" && $0.name != "addLanguage" }
                    + languages.map { (name: "language", value: $0) }
            )
        }
        guard action.hasPrefix("remove-language:") else { return nil }
        let tag = String(action.dropFirst("remove-language:".count))
        return FormFields(
            form.fields.all.filter { field in
                !(field.name == "language" && field.value == tag)
                    && !field.name.hasPrefix("\(root).content.\(tag).")
            }
        )
    }
}

extension LanguageName {
    /// Whether a text is a BCP 47 tag as messages have them.
    static func isTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return text.utf8.count <= 35 && (2...3).contains(parts.first?.count ?? 0)
            && parts.allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
    }
}

extension ComposerDraft {
    /// What an ad carries; `nil` for information, and for an ad that lacks it yet.
    var adWording: AdWording? { campaign.isAd ? campaign.adWording : nil }
}

/// The page of the step.
struct ContentStepView: PageView {
    static let template = "content"

    let shell: ComposerShell
    let editor: ContentEditor
    let test: TestSendView
    let templates: SelectView
    let hasTemplates: Bool

    var heading: String { shell.heading }

    init(shell: ComposerShell, editor: ContentEditor, test: TestSendView, templates: SelectView) {
        (self.shell, self.editor, self.test, self.templates) = (shell, editor, test, templates)
        hasTemplates = !templates.options.isEmpty
    }
}
