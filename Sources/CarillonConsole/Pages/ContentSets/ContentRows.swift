import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

extension ContentSetPages {
    func declareRows(_ routes: inout ConsoleRoutes) {
        routes.page(Self.one + "/rows", .app(.viewer)) { visit in
            let (set, table) = try await wantedTable(visit)
            let words = String(visit.query.text("words").trimmed.prefix(200))
            let cursor = visit.query["after"].flatMap { ContentCursor($0) }
            var query = ContentQuery()
            query.words = words.isEmpty ? nil : words
            query.limit = Self.pageSize
            let page = try await page(query, from: cursor, table, of: set)
            return .page(ContentRowsView(page, table, of: set, words: words, after: cursor, visit.look))
        }
        routes.page(Self.one + "/map", .app(.viewer)) { visit in
            let (set, table) = try await wantedTable(visit)
            guard table.positionIndex != nil else { throw ConsoleProblem.notFound }
            let cursor = visit.query["after"].flatMap { ContentCursor($0) }
            var (rows, next, more): ([ContentPage.Item], ContentCursor?, Bool) = ([], cursor, true)
            while more, rows.count < ContentMapView.rowCount {
                var query = ContentQuery()
                query.limit = ContentQuery.maximumLimit
                let page = try await page(query, from: next, table, of: set)
                rows += page.items
                next = page.next
                more = next != nil
            }
            let page = ContentPage(items: rows, next: next)
            return .page(ContentMapView(page, table, of: set, after: cursor, visit.look))
        }
        routes.page(Self.one + "/imports", .app(.viewer)) { visit in
            let set = try await set(visit)
            let before = visit.query["after"].flatMap { ContentImportID($0) }
            let runs = try await contentAnswer(
                try await content.sets.runs(of: set.name, app: set.app, before: before, limit: Self.pageSize)
            )
            return .page(ContentRunsView(runs, of: set, after: before, visit.look))
        }
    }

    /// The set of the path and the table of the query, or the first one.
    private func wantedTable(_ visit: Visit) async throws -> (ContentSet, ContentTable) {
        let set = try await set(visit)
        guard let name = visit.query["table"] else {
            guard let first = set.definition.tables.first else { throw ConsoleProblem.notFound }
            return (set, first)
        }
        guard let table = set.definition.table(name) else { throw ConsoleProblem.notFound }
        return (set, table)
    }

    /// Reads a page of rows.
    ///
    /// A cursor of a version that is gone leads to the beginning, and words that nothing can have to no row.
    private func page(
        _ query: ContentQuery,
        from cursor: ContentCursor?,
        _ table: ContentTable,
        of set: ContentSet
    ) async throws -> ContentPage {
        var query = query
        query.part = .after(cursor)
        do throws(ContentSetError) {
            return try await content.sets.page(query, table: table.name, of: set.name, app: set.app)
        } catch {
            guard case .invalid = error else { throw EngineError(error) }
            guard cursor != nil else { return ContentPage(items: [], next: nil) }
            return try await page(query, from: nil, table, of: set)
        }
    }
}

/// Rows of a table as their template shows them.
struct ContentRowsView: PageView {
    static let template = "content-rows"

    /// A row: what stands in the table, and the rest.
    struct Row: Hashable, Sendable {
        let rowKey: String
        let rowCells: [String]
        let rowRest: [FactView]
        let hasRest: Bool
    }

    /// Columns beside the key.
    private static let columnCount = 4

    let heading: String
    let tabs: [TabView]
    let setName: String
    let backPath: String
    let listPath: String
    let tableName: String
    let search: String
    let isSearchable: Bool
    let columnNames: [String]
    let keyName: String
    let rows: [Row]
    let hasRows: Bool
    let hasNoMatch: Bool
    let isFirstUse: Bool
    let paging: PagingView?

    init(
        _ page: ContentPage,
        _ table: ContentTable,
        of set: ContentSet,
        words: String,
        after: ContentCursor?,
        _ look: Look
    ) {
        let path = AppPath(app: set.app).contentSet(set.name)
        heading = look.texts("contentSets.rowsHeading", ["title": set.definition.title])
        tabs = set.definition.tables.map { other in
            TabView(words: other.name, path: "\(path)/rows?table=\(other.name)", isCurrent: other.name == table.name)
        }
        (setName, backPath, listPath, tableName) = (set.name, path, path + "/rows", table.name)
        search = words
        isSearchable = table.fields.contains(where: \.isSearchable)
        let others = table.fields.filter { $0.name != table.key }
        let columns = (others.filter(\.isRequired) + others.filter { !$0.isRequired }).prefix(Self.columnCount)
        keyName = table.key
        columnNames = columns.map(\.name)
        rows = page.items.map { item in
            let values = ContentDocument(item.document)
            let rest = others.filter { field in !columns.contains { $0.name == field.name } }.compactMap { field in
                values.text(field.name, look).map { FactView(field.name, $0) }
            }
            return Row(
                rowKey: values.text(table.key, look) ?? "",
                rowCells: columns.map { values.text($0.name, look) ?? "" },
                rowRest: rest,
                hasRest: !rest.isEmpty
            )
        }
        hasRows = !rows.isEmpty
        hasNoMatch = rows.isEmpty && !words.isEmpty
        isFirstUse = rows.isEmpty && words.isEmpty
        paging = PagingView(isFirst: after == nil, next: page.next, at: listPath) { cursor in
            FormFields().setting([
                "table": table.name, "words": words.isEmpty ? nil : words, "after": cursor?.description,
            ])
        }
    }
}

/// The values of a row.
struct ContentDocument {
    private let members: [String: JSONValue]

    init(_ document: String) {
        members = (try? JSONDecoder().decode([String: JSONValue].self, from: Data(document.utf8))) ?? [:]
    }

    /// A value for a cell; `nil` when the row has none.
    func text(_ name: String, _ look: Look) -> String? {
        guard let value = members[name] else { return nil }
        let text = Self.words(value, look)
        return text.count > 300 ? text.prefix(300) + "…" : text
    }

    /// The row's place on earth; `nil` without one.
    func position(_ name: String) -> ContentPosition? {
        guard case .object(let place)? = members[name], let latitude = place["latitude"]?.number,
            let longitude = place["longitude"]?.number
        else { return nil }
        return ContentPosition(latitude: latitude, longitude: longitude)
    }

    private static func words(_ value: JSONValue, _ look: Look) -> String {
        switch value {
        case .null: ""
        case .bool(let value): look.texts(value ? "value.yes" : "value.no")
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .string(let text): text
        case .array(let values): look.list(values.map { words($0, look) })
        case .object(let values):
            look.list(values.sorted { $0.key < $1.key }.map { "\($0.key): \(words($0.value, look))" })
        }
    }
}

/// The import runs of a set as their template shows them.
struct ContentRunsView: PageView {
    static let template = "content-imports"

    let heading: String
    let backPath: String
    let setName: String
    let runs: [ContentRunRow]
    let hasRuns: Bool
    let paging: PagingView?

    init(_ list: ContentList<ContentImportRun>, of set: ContentSet, after: ContentImportID?, _ look: Look) {
        let path = AppPath(app: set.app).contentSet(set.name)
        heading = look.texts("contentSets.runs")
        (backPath, setName) = (path, set.name)
        runs = list.items.map { ContentRunRow($0, look) }
        hasRuns = !runs.isEmpty
        paging = PagingView(isFirst: after == nil, next: list.nextCursor, at: path + "/imports") {
            FormFields().setting(["after": $0])
        }
    }
}
