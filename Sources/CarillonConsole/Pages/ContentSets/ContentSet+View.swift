import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of a content set as its template shows it.
struct ContentSetView: PageView {
    static let template = "content-set"

    /// A field of a table.
    struct Field: Hashable, Sendable {
        let fieldName: String
        let fieldType: String
        let fieldUses: String
    }

    /// A table, with what can be asked of it.
    struct Table: Hashable, Sendable {
        let tableName: String
        let tableFacts: String
        let tableImported: TimeView?
        let fields: [Field]
        /// Requests of V1 that read it.
        let operations: [String]
        let rowsPath: String
        let mapPath: String?
        let alertPath: String
        let alertState: PillView
        let mayAlert: Bool
    }

    /// A source.
    struct Source: Hashable, Sendable {
        let sourceName: String
        let sourcePath: String?
        let sourceFormat: String
        let sourceState: PillView
        let sourceFetched: TimeView?
        let sourceNext: TimeView?
        let sourceProblem: String?
        let fetchPath: String?
    }

    let heading: String
    let facts: [FactView]
    let tables: [Table]
    let sources: [Source]
    let hasSources: Bool
    let runs: [ContentRunRow]
    let hasRuns: Bool
    let runsPath: String
    let followsPath: String
    /// What an admin may do; `nil` for others.
    let editPath: String?
    let deletePath: String?
    let newSourcePath: String?
    let uploadPath: String?
}

extension ContentSetPages {
    /// Import runs on the page of a set.
    private static let runCount = 5

    func detail(_ visit: Visit) async throws -> ContentSetView {
        let (app, set) = (try visit.app.id, try await set(visit))
        let sources = try await contentAnswer(try await content.sources.list(of: set.name, app: app)).items
        let runs = try await contentAnswer(
            try await content.sets.runs(of: set.name, app: app, before: nil, limit: Self.runCount)
        )
        var alerts: [String: ContentAlert] = [:]
        for table in set.definition.tables {
            alerts[table.name] = try await alert(table.name, of: set)
        }
        return ContentSetView(set, sources, runs.items, alerts, mayChange: visit.may(.admin), visit.look)
    }

    /// The alert of a table; `nil` without one.
    func alert(_ table: String, of set: ContentSet) async throws -> ContentAlert? {
        do throws(ContentSetError) {
            return try await content.follows.alert(table, of: set.name, app: set.app)
        } catch {
            guard error == .noAlert else { throw EngineError(error) }
            return nil
        }
    }
}

extension ContentSetView {
    fileprivate init(
        _ set: ContentSet,
        _ sources: [ContentSource],
        _ runs: [ContentImportRun],
        _ alerts: [String: ContentAlert],
        mayChange: Bool,
        _ look: Look
    ) {
        let (texts, path) = (look.texts, AppPath(app: set.app).contentSet(set.name))
        heading = set.definition.title
        facts = [
            FactView(texts("contentSets.name"), code: set.name),
            FactView(texts("device.fact.zone"), set.definition.timeZone),
            set.definition.language.map { FactView(texts("device.fact.language"), $0) },
            FactView(texts("contentSets.created"), look.times.table(set.createdAt)),
            FactView(texts("contentSets.updated"), look.times.table(set.updatedAt)),
        ].compactMap(\.self)
        tables = set.definition.tables.map { table in
            Table(table, of: set, at: path, alerts[table.name], mayChange: mayChange, look)
        }
        self.sources = sources.map { Source($0, at: path, mayChange: mayChange, look) }
        hasSources = !sources.isEmpty
        self.runs = runs.map { ContentRunRow($0, look) }
        hasRuns = !runs.isEmpty
        runsPath = path + "/imports"
        followsPath = path + "/follows"
        editPath = mayChange ? path + "/edit" : nil
        deletePath = mayChange ? path + "/delete" : nil
        newSourcePath = mayChange ? path + "/new-source" : nil
        uploadPath = mayChange ? path + "/upload" : nil
    }
}

extension ContentSetView.Table {
    fileprivate init(
        _ table: ContentTable,
        of set: ContentSet,
        at path: String,
        _ alert: ContentAlert?,
        mayChange: Bool,
        _ look: Look
    ) {
        let (texts, version) = (look.texts, set.versions[table.name])
        tableName = table.name
        let order = table.order.isEmpty ? table.key : look.list(table.order)
        tableFacts = texts(
            "contentSets.tableFacts",
            count: version?.rowCount ?? 0,
            ["key": table.key, "order": order]
        )
        tableImported = look.table(version?.importedAt)
        fields = table.fields.map { field in
            let uses = [
                (field.name == table.key, "key"), (field.isRequired, "required"), (field.isIndexed, "indexed"),
                (field.isSearchable, "searchable"),
            ].filter(\.0).map { texts.word("contentSets.use", $0.1) }
            return ContentSetView.Field(
                fieldName: field.name,
                fieldType: texts.word("contentSets.type", field.type.rawValue),
                fieldUses: look.list(uses)
            )
        }
        operations = Self.operations(table, of: set)
        let query = "?table=" + table.name
        rowsPath = path + "/rows" + query
        mapPath = table.positionIndex == nil ? nil : path + "/map" + query
        alertPath = path + "/alerts/" + table.name
        mayAlert = mayChange
        let state = alert.map { !$0.settings.isActive ? "paused" : $0.state.problem != nil ? "failing" : "active" }
        let colours = ["paused": "warn", "failing": "bad", "active": "good"]
        alertState = PillView(
            words: texts.word("contentSets.alert", state ?? "none"),
            colour: state.flatMap { colours[$0] } ?? "muted"
        )
    }

    /// The requests of V1 that a table answers.
    private static func operations(_ table: ContentTable, of set: ContentSet) -> [String] {
        let path = "GET /v1/content-sets/\(set.name)/rows?table=\(table.name)"
        let indexed = ([table.key] + table.fields.filter(\.isIndexed).map(\.name))
        let time = table.fields.first { $0.type == .time }?.name
        return [
            path, path + "&where={\"\(indexed[0])\":…}",
            table.fields.contains(where: \.isSearchable) ? path + "&words=…" : nil,
            table.positionIndex == nil ? nil : path + "&near=22.62,120.30&radius=2000",
            time.map { path + "&time=\($0)&from=…&until=…" },
        ].compactMap(\.self)
    }
}

extension ContentSetView.Source {
    fileprivate init(_ source: ContentSource, at path: String, mayChange: Bool, _ look: Look) {
        let own = "\(path)/sources/\(source.name)"
        sourceName = source.name
        sourcePath = mayChange ? own : nil
        sourceFormat = source.request.format.rawValue
        let colour =
            switch source.status {
            case .waiting, .paused: "muted"
            case .ok: "good"
            case .failing: "bad"
            case .stale: "warn"
            }
        sourceState = PillView(words: look.texts.word("contentSets.source", source.status.rawValue), colour: colour)
        sourceFetched = look.table(source.state.fetchedAt)
        sourceNext = look.table(source.nextAt)
        sourceProblem = source.state.problem
        // A paused source is fetched by nobody.
        fetchPath = mayChange && source.request.isActive ? own + "/fetch" : nil
    }
}
