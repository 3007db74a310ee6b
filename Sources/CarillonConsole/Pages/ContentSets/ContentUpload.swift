import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension ContentSetPages {
    /// Maximum size of a form with a file in bytes; the API takes larger ones.
    static let uploadLimit = 16 * 1_024 * 1_024

    func declareUpload(_ routes: inout ConsoleRoutes) {
        let path = Self.one + "/upload"
        routes.page(path, .app(.admin)) { visit in .page(ContentUploadView(try await set(visit), .empty, visit.look)) }
        routes.form(path, .app(.admin), bodyLimit: Self.uploadLimit) { visit, state in
            ContentUploadView(try await set(visit), state, visit.look)
        } submit: { visit in
            let set = try await set(visit)
            guard let format = ContentFormat(rawValue: visit.form.text("format")), format.fillsOneTable else {
                throw FormProblems("format", visit.texts("problem.other"))
            }
            guard let file = visit.form["file"], !file.isEmpty else {
                throw FormProblems("file", visit.texts("contentSets.noFile"))
            }
            let run = try await importFile(file, format, visit.form.text("table"), into: set, visit)
            let numbers = [
                ("read", run.read), ("added", sum(run, \.imported)), ("changed", sum(run, \.changed)),
                ("gone", sum(run, \.gone)), ("skipped", run.skipped),
            ]
            let words = numbers.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            Self.note(visit, set.name, run.id.description, "import: " + words)
            let shown = numbers.map { ($0.0, visit.numbers.full($0.1)) }
            let parameters = Dictionary(uniqueKeysWithValues: shown)
            return .redirect(setPath(visit) + "/imports", Notice("contentSets.done", parameters))
        }
    }

    // MARK: - Private

    private func sum(_ run: ContentImportRun, _ count: (ContentImportRun.TableChanges) -> Int) -> Int {
        run.tables.reduce(0) { $0 + count($1) }
    }

    private func importFile(
        _ file: String,
        _ format: ContentFormat,
        _ table: String,
        into set: ContentSet,
        _ visit: Visit
    ) async throws -> ContentImportRun {
        Self.note(visit, set.name)
        do throws(ContentSetError) {
            return try await content.sets.importFile(
                Array(file.utf8),
                format,
                table: table.isEmpty ? nil : table,
                into: set.name,
                app: set.app
            )
        } catch {
            switch error {
            case .refused(let run):
                let detail = run.problems.first ?? ""
                throw FormProblems("file", visit.texts("contentSets.wrongFile", ["detail": detail]))
            case .invalid(let errors): throw Self.problems(visit, errors)
            case .conflict(let detail):
                throw FormProblems("file", visit.texts("contentSets.wrongFile", ["detail": detail]))
            default: throw EngineError(error)
            }
        }
    }
}

/// The form of a file as its template shows it.
struct ContentUploadView: PageView {
    static let template = "content-upload"

    let heading: String
    let format: SelectView
    let table: SelectView?
    let file: FieldView
    let formPath: String
    let backPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ set: ContentSet, _ state: FormState, _ look: Look) {
        let texts = look.texts
        heading = texts("contentSets.upload")
        // A file cannot be given back to a browser.
        let state = FormState(values: state.values.setting(["file": nil]), problems: state.problems)
        let formats = ContentFormat.allCases.filter(\.fillsOneTable).map { (value: $0.rawValue, text: $0.rawValue) }
        format = state.select("format", texts("contentSets.format"), formats)
        let tables = set.definition.tables.map { (value: $0.name, text: $0.name) }
        table = tables.count > 1 ? state.select("table", texts("contentSets.table"), tables) : nil
        let limit = look.numbers.bytes(ContentSetPages.uploadLimit)
        let hint = texts("contentSets.fileHint", ["size": limit])
        file = state.field("file", texts("contentSets.file"), hint: hint, type: "file")
        backPath = AppPath(app: set.app).contentSet(set.name)
        formPath = backPath + "/upload"
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}
