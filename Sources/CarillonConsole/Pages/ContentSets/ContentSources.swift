import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension ContentSetPages {
    func declareSources(_ routes: inout ConsoleRoutes) {
        let (new, one) = (Self.one + "/new-source", Self.one + "/sources/{source}")
        routes.page(new, .app(.admin)) { visit in
            .page(ContentSourceView(nil, of: try await set(visit), .empty, visit.look))
        }
        routes.form(new, .app(.admin)) { visit, state in
            ContentSourceView(nil, of: try await set(visit), state, visit.look)
        } submit: { visit in
            let set = try await set(visit)
            let name = visit.form.text("name").trimmed
            guard ContentName.isSetName(name) else { throw FormProblems("name", visit.texts("contentSets.wrongName")) }
            let others = try await contentAnswer(try await content.sources.list(of: set.name, app: set.app)).items
            guard !others.contains(where: { $0.name == name }) else {
                throw FormProblems("name", visit.texts("contentSets.nameTaken"))
            }
            return try await save(visit, name, of: set)
        }
        routes.page(one, .app(.admin)) { visit in
            let (set, source) = try await source(visit)
            return .page(ContentSourceView(source, of: set, .empty, visit.look))
        }
        routes.form(one, .app(.admin)) { visit, state in
            let (set, source) = try await source(visit)
            return ContentSourceView(source, of: set, state, visit.look)
        } submit: { visit in
            let (set, source) = try await source(visit)
            return try await save(visit, source.name, of: set)
        }
        routes.action(one + "/fetch", .app(.admin), on: setPath) { visit in
            let (set, source) = try await source(visit)
            _ = try await contentAnswer(try await content.sources.fetch(source.name, of: set.name, app: set.app))
            Self.note(visit, set.name, source.name, "fetch now")
            return .redirect(setPath(visit), Notice("contentSets.fetching", ["name": source.name]))
        }
        routes.action(one + "/delete", .app(.admin), on: setPath) { visit in
            let (set, source) = try await source(visit)
            try await contentAnswer(try await content.sources.delete(source.name, of: set.name, app: set.app))
            Self.note(visit, set.name, source.name, "deleted")
            return .redirect(setPath(visit), Notice("contentSets.sourceDeleted", ["name": source.name]))
        }
    }

    /// The page of the set, which has the buttons.
    func setPath(_ visit: Visit) -> String {
        guard let app = visit.pathApp?.id else { return ConsolePath.home }
        return visit.parameters["set"].map { AppPath(app: app).contentSet($0) } ?? AppPath(app: app).contentSets
    }

    // MARK: - Private

    private func source(_ visit: Visit) async throws -> (ContentSet, ContentSource) {
        let set = try await set(visit)
        let name = try visit.parameter("source") { ContentName.isSetName($0) ? $0 : nil }
        let found = try await contentAnswer(try await content.sources.source(name, of: set.name, app: set.app))
        return (set, found)
    }

    private func save(_ visit: Visit, _ name: String, of set: ContentSet) async throws -> Outcome {
        Self.note(visit, set.name, name)
        var members: [String: JSONValue] = ["isActive": .bool(visit.form["isActive"] != nil)]
        for field in ["format", "url", "city", "table", "clientID", "clientSecret", "tokenURL"] {
            let text = visit.form.text(field).trimmed
            if !text.isEmpty { members[field] = .string(text) }
        }
        let interval = visit.form.text("interval").trimmed
        if !interval.isEmpty {
            guard let seconds = Int64(interval) else {
                throw FormProblems("interval", visit.texts("contentSets.wrongInterval"))
            }
            members["interval"] = .integer(seconds)
        }
        let request: ContentSourceRequest = try Self.decode(visit, members)
        let saved = try await Self.asking(visit) { () async throws(ContentSetError) -> ContentSource in
            try await content.sources.put(name, of: set.name, app: set.app, request)
        }
        let secret = request.clientSecret == nil ? "" : ", client secret changed"
        let state = saved.request.isActive ? "active" : "paused"
        Self.note(visit, set.name, name, "\(request.format.rawValue), \(state)\(secret)")
        return .redirect(setPath(visit), Notice("contentSets.sourceSaved", ["name": name]))
    }
}

/// The form of a source as its template shows it.
struct ContentSourceView: PageView {
    static let template = "content-source"

    let heading: String
    /// Only of a new source.
    let sourceName: FieldView?
    let format: SelectView
    let table: SelectView
    let inputs: [FieldView]
    let isActive: Bool
    /// What happened last.
    let facts: [FactView]
    let hasFacts: Bool
    let formPath: String
    let deletePath: String?
    let backPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ source: ContentSource?, of set: ContentSet, _ state: FormState, _ look: Look) {
        let (texts, request) = (look.texts, source?.request)
        heading = source.map { texts("contentSets.sourceHeading", ["name": $0.name]) } ?? texts("contentSets.newSource")
        let named = source == nil
        sourceName =
            named ? state.field("name", texts("contentSets.name"), hint: texts("contentSets.nameHint")) : nil
        format = state.select(
            "format",
            texts("contentSets.format"),
            ContentSourceFormat.allCases.map { (value: $0.rawValue, text: $0.rawValue) },
            standard: request?.format.rawValue ?? "csv"
        )
        var tables = [(value: "", text: texts("contentSets.anyTable"))]
        tables += set.definition.tables.map { (value: $0.name, text: $0.name) }
        table = state.select("table", texts("contentSets.table"), tables, standard: request?.table ?? "")
        let hasSecret = source?.hasSecret ?? false
        inputs = [
            state.field("url", texts("contentSets.url"), standard: request?.url ?? "", type: "url"),
            state.field(
                "interval",
                texts("contentSets.interval"),
                hint: texts("contentSets.intervalHint"),
                standard: request.map { String($0.interval) } ?? ""
            ),
            state.field(
                "city",
                texts("contentSets.city"),
                hint: texts("contentSets.cityHint"),
                standard: request?.city ?? ""
            ),
            state.field("clientID", texts("contentSets.clientID"), standard: request?.clientID ?? ""),
            // It never comes back.
            state.field(
                "clientSecret",
                texts("contentSets.clientSecret"),
                hint: texts(hasSecret ? "contentSets.secretSet" : "contentSets.secretNone"),
                type: "password",
                autocomplete: "off"
            ),
            state.field("tokenURL", texts("contentSets.tokenURL"), standard: request?.tokenURL ?? "", type: "url"),
        ]
        isActive = state.values.isEmpty ? request?.isActive ?? true : state.values["isActive"] != nil
        facts = [
            FactView(texts("contentSets.tried"), look.table(source?.state.triedAt)),
            FactView(texts("contentSets.fetched"), look.table(source?.state.fetchedAt)),
            FactView(texts("contentSets.next"), look.table(source?.nextAt)),
            source?.state.problem.map { FactView(texts("contentSets.problem"), $0) },
        ].compactMap(\.self)
        hasFacts = !facts.isEmpty
        let path = AppPath(app: set.app).contentSet(set.name)
        backPath = path
        formPath = source.map { "\(path)/sources/\($0.name)" } ?? path + "/new-source"
        deletePath = source == nil ? nil : formPath + "/delete"
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}
