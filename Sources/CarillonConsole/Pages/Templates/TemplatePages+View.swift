import CarillonModel
import CarillonOperatorModel

/// The list of templates.
struct TemplatesView: PageView {
    static let template = "templates"

    struct Row: Hashable, Sendable {
        let templatePath: String
        let templateName: String
        let templateText: String
        let templateLanguages: String
        let templateUpdated: TimeView
    }

    let heading: String
    let rows: [Row]
    let hasRows: Bool
    let newPath: String?
    let paging: PagingView?

    init(_ page: Page<Template>, isFirst: Bool, of app: AppID, _ visit: Visit) {
        let (look, paths) = (visit.look, AppPath(app: app))
        heading = look.texts("templates.heading")
        rows = page.items.map { template in
            let content = template.message.content[Message.defaultLanguage]
            return Row(
                templatePath: paths.template(template.id),
                templateName: template.name,
                templateText: [content?.title, content?.body].compactMap(\.self).joined(separator: " · "),
                templateLanguages: look.list(template.message.content.keys.sorted(by: ContentForm.order)),
                templateUpdated: look.times.table(template.updatedAt)
            )
        }
        hasRows = !rows.isEmpty
        newPath = visit.may(.editor) ? paths.templates + "/new" : nil
        paging = PagingView(isFirst: isFirst, next: page.nextCursor, at: paths.templates) {
            FormFields().setting(["after": $0])
        }
    }
}

/// A template with its fields, for who may change it, and its drawings.
struct TemplateView: PageView {
    static let template = "template"

    struct Use: Hashable, Sendable {
        let usePath: String
        let useName: String
    }

    let heading: String
    let editor: ContentEditor
    let mayEdit: Bool
    let nameField: FieldView
    let formPath: String
    let copyPath: String?
    let deletePath: String?
    let uses: [Use]
    let hasUses: Bool
    let isKnown: Bool
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ template: Template?, _ editor: ContentEditor, _ uses: [Campaign], _ state: FormState, _ visit: Visit) {
        let (texts, words) = (visit.texts, CampaignText(look: visit.look))
        let paths = visit.pathApp.map { AppPath(app: $0.id) }
        heading = template?.name ?? texts("templates.new")
        self.editor = editor
        mayEdit = visit.may(.editor)
        nameField = state.field("name", texts("templates.name"), standard: template?.name ?? "")
        let path = template.flatMap { template in paths.map { $0.template(template.id) } }
        formPath = path ?? (paths?.templates ?? "") + "/new"
        copyPath = mayEdit ? path.map { $0 + "/draft" } : nil
        deletePath = mayEdit ? path.map { $0 + "/delete" } : nil
        self.uses = uses.map { campaign in
            Use(usePath: AppPath(app: campaign.app).campaign(campaign.id), useName: words.name(campaign))
        }
        hasUses = !uses.isEmpty
        isKnown = template != nil
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}
