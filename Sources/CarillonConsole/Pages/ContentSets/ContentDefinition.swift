import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

extension ContentSetPages {
    func declareDefinitions(_ routes: inout ConsoleRoutes) {
        routes.page(Self.list + "/new", .app(.admin)) { visit in .page(try definitionForm(visit, nil, .empty)) }
        routes.form(Self.list + "/new", .app(.admin), bodyLimit: 512 * 1_024) { visit, state in
            try definitionForm(visit, nil, state)
        } submit: { visit in
            let name = visit.form.text("name").trimmed
            guard ContentName.isSetName(name) else { throw FormProblems("name", visit.texts("contentSets.wrongName")) }
            let (app, all) = (try visit.app.id, try await sets(of: visit))
            guard !all.contains(name) else { throw FormProblems("name", visit.texts("contentSets.nameTaken")) }
            return try await save(visit, name, app: app)
        }
        routes.page(Self.one + "/edit", .app(.admin)) { visit in
            .page(try definitionForm(visit, try await set(visit), .empty))
        }
        routes.form(Self.one + "/edit", .app(.admin), bodyLimit: 512 * 1_024) { visit, state in
            try definitionForm(visit, try await set(visit), state)
        } submit: { visit in
            try await save(visit, try await set(visit).name, app: try visit.app.id)
        }
        routes.page(Self.one + "/delete", .app(.admin)) { visit in .page(try await deletePage(visit, .empty)) }
        routes.form(Self.one + "/delete", .app(.admin)) { visit, state in
            try await deletePage(visit, state)
        } submit: { visit in
            let set = try await set(visit)
            guard visit.form.text("typed").trimmed == set.name else {
                throw FormProblems("typed", visit.texts("typed.wrong", ["text": set.name]))
            }
            try await contentAnswer(try await content.sets.delete(set.name, app: set.app))
            Self.note(visit, set.name, nil, "deleted")
            return .redirect(AppPath(app: set.app).contentSets, Notice("contentSets.deleted"))
        }
    }

    /// The names of an App's sets, of which there are few.
    private func sets(of visit: Visit) async throws -> [String] {
        let app = try visit.app.id
        return try await contentAnswer(
            try await content.sets.list(app: app, after: nil, limit: ContentSet.maximumCount)
        ).items.map(\.name)
    }

    private func save(_ visit: Visit, _ name: String, app: AppID) async throws -> Outcome {
        let definition = try definition(visit)
        Self.note(visit, name)
        let set = try await Self.asking(visit, field: "definition") { () async throws(ContentSetError) -> ContentSet in
            try await content.sets.put(name, definition, app: app)
        }
        let tables = set.definition.tables.map { "\($0.name) (\($0.fields.count))" }.joined(separator: ", ")
        Self.note(visit, name, nil, "tables → " + tables)
        return .redirect(AppPath(app: app).contentSet(name), Notice("contentSets.saved"))
    }

    private func definition(_ visit: Visit) throws -> ContentSetDefinition {
        if let preset = visit.form["preset"].flatMap({ ContentSetDefinition.preset($0) }) { return preset }
        do {
            return try JSONDecoder().decode(ContentSetDefinition.self, from: Data(visit.form.text("definition").utf8))
        } catch let error as FieldError {
            throw Self.problems(visit, [error], field: "definition")
        } catch {
            throw FormProblems("definition", visit.texts("contentSets.noJSON"))
        }
    }

    private func definitionForm(_ visit: Visit, _ set: ContentSet?, _ state: FormState) throws -> ContentDefinitionView
    {
        try ContentDefinitionView(set, of: try visit.app.id, state, visit.look)
    }

    private func deletePage(_ visit: Visit, _ state: FormState) async throws -> TypedConfirmView {
        let (app, set) = (try visit.app, try await set(visit))
        let path = AppPath(app: app.id).contentSet(set.name)
        return TypedConfirmView(
            .deleteContentSet,
            ["name": set.name, "app": app.name],
            wanted: set.name,
            at: path + "/delete",
            back: path,
            state,
            visit.look
        )
    }
}

/// The form of a set's definition as its template shows it.
struct ContentDefinitionView: PageView {
    static let template = "content-definition"

    let heading: String
    /// Only of a new set.
    let setName: FieldView?
    let preset: SelectView?
    let definition: FieldView
    let formPath: String
    let backPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ set: ContentSet?, of app: AppID, _ state: FormState, _ look: Look) throws {
        let (texts, paths) = (look.texts, AppPath(app: app))
        heading = texts(set == nil ? "contentSets.new" : "contentSets.edit")
        setName = set == nil ? state.field("name", texts("contentSets.name"), hint: texts("contentSets.nameHint")) : nil
        var presets = [(value: "", text: texts("contentSets.ownDefinition"))]
        presets += ContentSetDefinition.presetNames.map { (value: $0, text: texts.word("contentSets.preset", $0)) }
        preset = set == nil ? state.select("preset", texts("contentSets.presetLabel"), presets) : nil
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let shown = set?.definition ?? Self.example
        definition = state.field(
            "definition",
            texts("contentSets.definition"),
            hint: texts("contentSets.definitionHint"),
            standard: String(decoding: try encoder.encode(shown), as: UTF8.self)
        )
        backPath = set.map { paths.contentSet($0.name) } ?? paths.contentSets
        formPath = set == nil ? paths.contentSets + "/new" : backPath + "/edit"
        summary = state.summary
        hasSummary = !summary.isEmpty
    }

    /// What a new definition begins with.
    private static var example: ContentSetDefinition {
        ContentSetDefinition(
            title: "Places",
            tables: [
                ContentTable(
                    "places",
                    key: "id",
                    order: ["name"],
                    [
                        ContentField("id", .text), ContentField("name", .text, isRequired: true, isSearchable: true),
                        ContentField("position", .position),
                    ]
                )
            ]
        )
    }
}
