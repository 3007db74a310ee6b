import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes

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
        let rows = UserAttributeRow.read(visit.form)
        let conflicts = rows.filter { $0.conflicts(with: model.attributes) }
        guard conflicts.isEmpty else { return .other(.conflict, conflictPage(model, conflicts, visit)) }
        let change = try attributes(rows, visit, model)
        let (added, removed) = try await wantedTags(visit, model)
        // What the app sets meanwhile stays: only what was ticked or unticked here changes.
        if !removed.isEmpty {
            _ = try await visit.engine.tags.apply(.remove(removed), to: [model.user], app: model.app)
        }
        if !added.isEmpty { _ = try await visit.engine.tags.apply(.add(added), to: [model.user], app: model.app) }
        if !change.attributes.isEmpty {
            _ = try await visit.engine.attributes.apply(change, to: model.user, app: model.app)
        }
        var changes: [String] = []
        for (sign, ids) in [("+", added), ("−", removed)] {
            changes += ids.map(\.rawValue).sorted().map { "tag \(sign)\($0)" }
        }
        // The values are the person's own.
        changes += change.attributes.keys.sorted().map { "attribute \($0) changed" }
        let words = changes.joined(separator: ", ")
        try await PeopleActions.note(visit, "user", model.user.rawValue, change: words.isEmpty ? nil : words)
        return .redirect(AppPath(app: model.app).user(model.user), Notice("user.saved"))
    }

    /// The form with what was typed, which overwrites what is stored now when it is sent once more.
    private static func conflictPage(
        _ model: Model,
        _ conflicts: [UserAttributeRow],
        _ visit: Visit
    ) -> UserEditView {
        var fields = visit.form.all.filter { field in !conflicts.contains { field.name == "old\($0.number)" } }
        fields += conflicts.map { ("old\($0.number)", model.attributes[$0.name]?.plainText ?? "") }
        var view = UserEditView(model, FormState(values: FormFields(fields)), visit.look)
        view.differences = conflicts.map { row in
            UserEditView.Difference(
                differenceName: row.name,
                savedWords: model.attributes[row.name]?.plainText ?? "–",
                typedWords: row.value
            )
        }
        view.isConflict = true
        return view
    }

    /// The tags that were ticked or named, and those that were unticked.
    private static func wantedTags(
        _ visit: Visit,
        _ model: Model
    ) async throws -> (added: Set<TagID>, removed: Set<TagID>) {
        func tags(_ field: String) -> Set<TagID> {
            Set(visit.form.values(field).compactMap { TagID(rawValue: $0) })
        }
        let (chosen, shown, now) = (tags("tag"), tags("had"), Set(model.tags.map(\.id)))
        var added = chosen.subtracting(shown)
        for part in visit.form.text("moreTags").split(whereSeparator: { $0 == "," || $0 == "、" || $0.isNewline }) {
            let name = String(part).trimmed
            guard !name.isEmpty else { continue }
            let named = try await visit.engine.tags.list(app: model.app, named: name, after: nil, limit: 1).items.first
            guard let id = named?.id else {
                throw FormProblems("moreTags", visit.texts("user.unknownTag", ["name": name]))
            }
            added.insert(id)
        }
        let removed = shown.subtracting(chosen).subtracting(added).intersection(now)
        guard now.subtracting(removed).union(added).count <= TagSet.maximumCount else {
            throw FormProblems("moreTags", visit.texts("user.tooManyTags", ["most": String(TagSet.maximumCount)]))
        }
        return (added.subtracting(now), removed)
    }

    /// What differs from what the form showed; an empty value removes one.
    private static func attributes(
        _ rows: [UserAttributeRow],
        _ visit: Visit,
        _ model: Model
    ) throws -> UserAttributes {
        var change: [String: JSONValue] = [:]
        for row in rows where row.isChanged {
            let value = JSONValue(plainText: row.value, like: model.attributes[row.name])
            if row.name.isEmpty || UserAttributes.problem(row.name, value)?.field.isEmpty == true {
                throw FormProblems("name\(row.number)", visit.texts("user.wrongName"))
            }
            guard UserAttributes.problem(row.name, value) == nil else {
                throw FormProblems("value\(row.number)", visit.texts("user.wrongValue"))
            }
            change[row.name] = value
        }
        let removed = change.count { $0.value == .null && model.attributes[$0.key] != nil }
        let added = change.count { $0.value != .null && model.attributes[$0.key] == nil }
        guard model.attributes.count - removed + added <= UserAttributes.maximumCount else {
            throw FormProblems("value0", visit.texts("user.tooMany", ["most": String(UserAttributes.maximumCount)]))
        }
        return UserAttributes(attributes: change)
    }
}

/// An attribute of the form, with what the form showed: the app may have changed the User's meanwhile.
struct UserAttributeRow: Hashable, Sendable {
    /// Rows for new attributes.
    static let blankCount = 2

    /// Its place in the form.
    var number: Int
    var name: String
    var value: String
    /// The value that was stored when the form was made; `nil` for a new one.
    var old: String?

    /// Whether the field says something else than it did.
    var isChanged: Bool { old.map { $0 != value } ?? !(name.isEmpty && value.isEmpty) }

    /// The rows of a User's attributes, by name, and some for new ones.
    static func rows(_ attributes: [String: JSONValue]) -> [UserAttributeRow] {
        let known = attributes.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.plainText) }
        return (0..<known.count + blankCount).map { number in
            guard number < known.count else { return UserAttributeRow(number: number, name: "", value: "") }
            let (name, value) = known[number]
            return UserAttributeRow(number: number, name: name, value: value, old: value)
        }
    }

    /// The rows of a form.
    static func read(_ form: FormFields) -> [UserAttributeRow] {
        (0..<UserAttributes.maximumCount + blankCount).compactMap { number in
            guard let value = form["value\(number)"] else { return nil }
            let name = form.text("name\(number)").trimmed
            return UserAttributeRow(number: number, name: name, value: value, old: form["old\(number)"])
        }
    }

    /// Whether somebody else stored another value since the form was made.
    func conflicts(with attributes: [String: JSONValue]) -> Bool {
        guard isChanged, !name.isEmpty else { return false }
        let stored = attributes[name]?.plainText ?? ""
        return stored != (old ?? "") && stored != value
    }
}

extension JSONValue {
    /// A value as a field has it.
    var plainText: String {
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
