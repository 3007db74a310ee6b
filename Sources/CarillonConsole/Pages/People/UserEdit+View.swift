import CarillonModel
import CarillonOperatorModel

/// The page of a User's tags and attributes as its template shows it.
struct UserEditView: PageView {
    static let template = "user-edit"

    /// A tag that the User has or may get.
    struct Choice: Hashable, Sendable {
        let tagID: String
        let tagName: String
        /// Whether the User has it.
        let isOwn: Bool
        let isChosen: Bool
    }

    /// An attribute: its name is fixed, or a field.
    struct Row: Hashable, Sendable {
        let nameName: String
        let fixedName: String?
        let oldName: String
        let oldValue: String
        let nameField: FieldView?
        let valueField: FieldView
    }

    /// An attribute that somebody else changed meanwhile.
    struct Difference: Hashable, Sendable {
        let differenceName: String
        let savedWords: String
        let typedWords: String
    }

    let heading: String
    let userID: String
    let choices: [Choice]
    let hasChoices: Bool
    let moreTags: FieldView
    let rows: [Row]
    let formPath: String
    let backPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool
    var isConflict = false
    var differences: [Difference] = []

    init(_ model: UserEdit.Model, _ state: FormState, _ look: Look) {
        let texts = look.texts
        heading = texts("user.edit")
        userID = model.user.rawValue
        let isTyped = !state.values.isEmpty
        let own = Set(isTyped ? state.values.values("had") : model.tags.map(\.id.rawValue))
        let chosen = isTyped ? Set(state.values.values("tag")) : own
        choices = (model.tags + model.others).map { tag in
            let id = tag.id.rawValue
            return Choice(tagID: id, tagName: tag.name, isOwn: own.contains(id), isChosen: chosen.contains(id))
        }
        hasChoices = !choices.isEmpty
        moreTags = state.field("moreTags", texts("user.moreTags"), hint: texts("user.moreTagsHint"))
        rows = (isTyped ? UserAttributeRow.read(state.values) : UserAttributeRow.rows(model.attributes)).map { row in
            Row(
                nameName: "name\(row.number)",
                fixedName: row.old.map { _ in row.name },
                oldName: "old\(row.number)",
                oldValue: row.old ?? "",
                nameField: row.old == nil ? state.field("name\(row.number)", texts("user.newAttribute")) : nil,
                valueField: state.field(
                    "value\(row.number)",
                    row.old == nil ? texts("user.value") : row.name,
                    standard: row.value
                )
            )
        }
        backPath = AppPath(app: model.app).user(model.user)
        formPath = backPath + "/edit"
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}
