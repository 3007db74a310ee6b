import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page on which a User's tags and attributes are changed.
enum UserEdit {
    /// What the page shows.
    struct Model: Sendable {
        var app: AppID
        var user: UserID
        var tags: [Tag]
        /// The App's tags that the User does not have, some of many.
        var others: [Tag]
        var attributes: [String: JSONValue]
    }

    /// Tags that are offered; others are named.
    private static let offeredTags = 100

    static func declare(_ routes: inout ConsoleRoutes) {
        let path = "/apps/{app}/users/{user}/edit"
        routes.page(path, .app(.editor)) { visit in .page(UserEditView(try await read(visit), .empty, visit.look)) }
        routes.form(path, .app(.editor)) { visit, state in
            UserEditView(try await read(visit), state, visit.look)
        } submit: { visit in
            try await save(visit)
        }
    }

    private static func read(_ visit: Visit) async throws -> Model {
        let (app, id) = (try visit.app.id, try PeopleActions.wantedUser(visit))
        let user = try await visit.engine.registry.users.user(id, app: app, showsTokens: false)
        let all = try await visit.engine.tags.list(app: app, after: nil, limit: offeredTags)
        let own = Set(user.tags.map(\.id))
        return Model(
            app: app,
            user: id,
            tags: user.tags,
            others: all.items.filter { !own.contains($0.id) },
            attributes: user.attributes
        )
    }

    private static func save(_ visit: Visit) async throws -> Outcome {
        let model = try await read(visit)
        try await PeopleActions.note(visit, "user", model.user.rawValue)
        let tags = try await wantedTags(visit, model)
        let change = try attributes(visit, model)
        let before = Set(model.tags.map(\.id))
        if tags != before {
            _ = try await visit.engine.tags.apply(.replace(tags), to: [model.user], app: model.app)
        }
        if !change.attributes.isEmpty {
            _ = try await visit.engine.attributes.apply(change, to: model.user, app: model.app)
        }
        var changes: [String] = []
        for (sign, ids) in [("+", tags.subtracting(before)), ("−", before.subtracting(tags))] {
            changes += ids.map(\.rawValue).sorted().map { "tag \(sign)\($0)" }
        }
        // The values are the person's own.
        changes += change.attributes.keys.sorted().map { "attribute \($0) changed" }
        let words = changes.joined(separator: ", ")
        try await PeopleActions.note(visit, "user", model.user.rawValue, change: words.isEmpty ? nil : words)
        return .redirect(AppPath(app: model.app).user(model.user), Notice("user.saved"))
    }

    /// The tags that are chosen, and those that are named.
    private static func wantedTags(_ visit: Visit, _ model: Model) async throws -> Set<TagID> {
        var tags = Set(visit.form.values("tag").compactMap { TagID(rawValue: $0) })
        for part in visit.form.text("moreTags").split(whereSeparator: { $0 == "," || $0 == "、" || $0.isNewline }) {
            let name = String(part).trimmed
            guard !name.isEmpty else { continue }
            let named = try await visit.engine.tags.list(app: model.app, named: name, after: nil, limit: 1).items.first
            guard let id = named?.id else {
                throw FormProblems("moreTags", visit.texts("user.unknownTag", ["name": name]))
            }
            tags.insert(id)
        }
        guard tags.count <= TagSet.maximumCount else {
            throw FormProblems("moreTags", visit.texts("user.tooManyTags", ["most": String(TagSet.maximumCount)]))
        }
        return tags
    }

    /// What differs from the User's attributes; an empty value removes one.
    private static func attributes(_ visit: Visit, _ model: Model) throws -> UserAttributes {
        var change: [String: JSONValue] = [:]
        for (index, row) in model.rows.enumerated() {
            let name = row.name.isEmpty ? visit.form.text("name\(index)").trimmed : row.name
            guard let text = visit.form["value\(index)"], !name.isEmpty else { continue }
            let old = model.attributes[name]
            guard text != (old?.plainText ?? "") else { continue }
            let value = JSONValue(plainText: text, like: old)
            if UserAttributes.problem(name, value)?.field.isEmpty == true {
                throw FormProblems("name\(index)", visit.texts("user.wrongName"))
            }
            guard UserAttributes.problem(name, value) == nil else {
                throw FormProblems("value\(index)", visit.texts("user.wrongValue"))
            }
            change[name] = value
        }
        let removed = change.count { $0.value == .null }
        let added = change.keys.count { model.attributes[$0] == nil }
        guard model.attributes.count - removed + added <= UserAttributes.maximumCount else {
            throw FormProblems("name0", visit.texts("user.tooMany", ["most": String(UserAttributes.maximumCount)]))
        }
        return UserAttributes(attributes: change)
    }
}

extension UserEdit.Model {
    /// The rows of the form: the attributes by name, and some empty ones.
    var rows: [(name: String, value: String)] {
        attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value.plainText) } + [("", ""), ("", "")]
    }
}

extension JSONValue {
    /// A value as a field has it.
    fileprivate var plainText: String {
        switch self {
        case .null, .array, .object: ""
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .string(let text): text
        }
    }

    /// The value of a field: what was a text stays one, and what else looks like a number or a boolean is one.
    fileprivate init(plainText text: String, like old: JSONValue?) {
        guard !text.isEmpty else {
            self = .null
            return
        }
        if case .string? = old {
            self = .string(text)
        } else if text == "true" || text == "false" {
            self = .bool(text == "true")
        } else if let number = Int64(text) {
            self = .integer(number)
        } else if let number = Double(text), number.isFinite, text.allSatisfy({ $0.isNumber || "+-.eE".contains($0) }) {
            self = .number(number)
        } else {
            self = .string(text)
        }
    }
}

/// The page of a User's tags and attributes as its template shows it.
struct UserEditView: PageView {
    static let template = "user-edit"

    /// A tag that the User has or may get.
    struct Choice: Hashable, Sendable {
        let tagID: String
        let tagName: String
        let isChosen: Bool
    }

    /// An attribute: its name is fixed, or a field.
    struct Row: Hashable, Sendable {
        let fixedName: String?
        let nameField: FieldView?
        let valueField: FieldView
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

    init(_ model: UserEdit.Model, _ state: FormState, _ look: Look) {
        let texts = look.texts
        heading = texts("user.edit")
        userID = model.user.rawValue
        let isTyped = !state.values.isEmpty
        let chosen = isTyped ? Set(state.values.values("tag")) : Set(model.tags.map(\.id.rawValue))
        choices = (model.tags + model.others).map { tag in
            Choice(tagID: tag.id.rawValue, tagName: tag.name, isChosen: chosen.contains(tag.id.rawValue))
        }
        hasChoices = !choices.isEmpty
        moreTags = state.field("moreTags", texts("user.moreTags"), hint: texts("user.moreTagsHint"))
        rows = model.rows.enumerated().map { index, row in
            Row(
                fixedName: row.name.isEmpty ? nil : row.name,
                nameField: row.name.isEmpty ? state.field("name\(index)", texts("user.newAttribute")) : nil,
                valueField: state.field(
                    "value\(index)",
                    row.name.isEmpty ? texts("user.value") : row.name,
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
