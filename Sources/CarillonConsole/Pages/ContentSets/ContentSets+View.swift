import CarillonContentSets
import CarillonModel
import CarillonOperatorModel

/// The list of an App's content sets as its template shows it.
struct ContentSetsView: PageView {
    static let template = "content-sets"

    /// One set.
    struct Row: Hashable, Sendable {
        let setName: String
        let setPath: String
        let setTitle: String
        let setTables: String
        let setRows: String
        let importedAt: TimeView?
    }

    let heading: String
    let rows: [Row]
    let hasRows: Bool
    /// Where a set is made; `nil` for who may not.
    let newPath: String?
    let paging: PagingView?

    init(_ sets: ContentList<ContentSet>, after: String?, of app: AppID, mayChange: Bool, _ look: Look) {
        let paths = AppPath(app: app)
        heading = look.texts("contentSets.heading")
        rows = sets.items.map { set in
            Row(
                setName: set.name,
                setPath: paths.contentSet(set.name),
                setTitle: set.definition.title,
                setTables: look.list(set.definition.tables.map(\.name)),
                setRows: look.numbers.full(set.versions.values.reduce(0) { $0 + $1.rowCount }),
                importedAt: look.table(set.versions.values.map(\.importedAt).max())
            )
        }
        hasRows = !rows.isEmpty
        newPath = mayChange ? paths.contentSets + "/new" : nil
        paging = PagingView(isFirst: after == nil, next: sets.nextCursor, at: paths.contentSets) {
            FormFields().setting(["after": $0])
        }
    }
}

/// The imports of a set in rows, for the template `content-runs`.
struct ContentRunRow: Hashable, Sendable {
    let runFormat: String
    let runFrom: String
    let runState: PillView
    let runStarted: TimeView
    let runEnded: TimeView?
    let runRead: String
    let runImported: String
    let runChanged: String
    let runGone: String
    let runSkipped: String
    /// What was wrong, beginning with values that were left out.
    let runProblems: [String]
    let runProblemCount: String?

    init(_ run: ContentImportRun, _ look: Look) {
        func sum(_ count: (ContentImportRun.TableChanges) -> Int) -> String {
            look.numbers.full(run.tables.reduce(0) { $0 + count($1) })
        }
        runFormat = run.format.rawValue
        runFrom = run.source ?? run.table ?? ""
        let colour =
            switch run.state {
            case .running: "active"
            case .completed: "good"
            case .failed: "bad"
            }
        runState = PillView(words: look.texts.word("contentSets.run", run.state.rawValue), colour: colour)
        runStarted = look.times.table(run.startedAt)
        runEnded = look.table(run.endedAt)
        runRead = look.numbers.full(run.read)
        (runImported, runChanged, runGone) = (sum(\.imported), sum(\.changed), sum(\.gone))
        runSkipped = look.numbers.full(run.skipped)
        let values = run.invalidValues.sorted { $0.key < $1.key }.map { field, count in
            look.texts("contentSets.invalidValues", count: count, ["field": field])
        }
        runProblems = values + run.problems
        runProblemCount = runProblems.isEmpty ? nil : look.texts("contentSets.problems", count: runProblems.count)
    }
}
