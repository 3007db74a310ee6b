import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The labels of categories: those that Operators define, beside those that Devices report.
enum CategoryPages {
    private static let path = "/apps/{app}/categories"
    static let pageSize = 100

    /// What the page shows.
    struct Model: Sendable {
        var defined: Page<CategoryLabel>
        /// Labels that Devices report and nobody defined, such as misspelt ones.
        var undefined: Page<CategoryLabel>
        var after: CategoryName?
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(path, .app(.viewer)) { visit in .page(try await page(visit, .empty)) }
        routes.form(path, .app(.editor)) { visit, state in
            try await page(visit, state)
        } submit: { visit in
            let request = try request(visit)
            visit.audit.note(object: words(request.name), change: "category defined")
            do throws(EngineError) {
                _ = try await visit.engine.registry.categories.define(request, app: try app(visit))
            } catch {
                guard case .conflict = error else { throw error }
                throw FormProblems("label", visit.texts("categories.tooMany"))
            }
            return .redirect(home(visit), Notice("categories.saved", ["label": request.label]))
        }
        routes.action(path + "/undefine", .app(.editor), on: home) { visit in
            let label = visit.form.text("label")
            let name = CategoryName(dimension: visit.form.text("dimension"), label: label)
            visit.audit.note(object: words(name), change: "category not defined any more")
            try await visit.engine.registry.categories.undefine(name, app: try app(visit))
            return .redirect(home(visit), Notice("categories.removed", ["label": label]))
        }
    }

    // MARK: - Private

    private static func app(_ visit: Visit) throws(EngineError) -> AppID {
        guard let app = visit.pathApp else { throw .notFound(.app) }
        return app.id
    }

    private static func home(_ visit: Visit) -> String {
        visit.pathApp.map { AppPath(app: $0.id).categories } ?? ConsolePath.home
    }

    private static func words(_ name: CategoryName) -> String {
        name.dimension.isEmpty ? name.label : "\(name.dimension): \(name.label)"
    }

    private static func request(_ visit: Visit) throws -> CategoryRequest {
        var problems: [FieldProblem] = []
        func text(_ name: String, _ lengths: ClosedRange<Int>) -> String? {
            let text = visit.form.text(name).trimmed
            guard !lengths.contains(text.count) else { return text.isEmpty ? nil : text }
            let limits = ["least": String(lengths.lowerBound), "most": String(lengths.upperBound)]
            problems.append(FieldProblem(name, visit.texts("problem.length", limits)))
            return nil
        }
        let (dimension, label) = (text("dimension", 0...64), text("label", 1...64))
        let title = text("title", 0...100)
        guard problems.isEmpty, let label else { throw FormProblems(problems) }
        return CategoryRequest(dimension: dimension, label: label, title: title)
    }

    private static func page(_ visit: Visit, _ state: FormState) async throws -> CategoriesView {
        let (app, categories) = (try visit.app.id, visit.engine.registry.categories)
        let after = visit.query["after"].flatMap { CategoryName(cursor: $0) }
        let model = Model(
            defined: try await categories.list(app: app, isDefined: true, after: after, limit: pageSize),
            undefined: try await categories.list(app: app, isDefined: false, limit: pageSize),
            after: after
        )
        return CategoriesView(model, of: app, mayEdit: visit.may(.editor), state, visit.look)
    }
}

/// The page of categories.
struct CategoriesView: PageView {
    static let template = "categories"

    struct Row: Hashable, Sendable {
        let rowDimension: String
        let rowLabel: String
        let rowTitle: String
        let rowDevices: String
        let rowState: PillView
        /// The fields of the button beside it.
        let rawDimension: String
    }

    let heading: String
    let defined: [Row]
    let hasDefined: Bool
    let undefined: [Row]
    let hasUndefined: Bool
    let hasMoreUndefined: Bool
    let mayEdit: Bool
    let formPath: String
    let undefinePath: String
    let fields: [FieldView]
    let paging: PagingView?
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ model: CategoryPages.Model, of app: AppID, mayEdit: Bool, _ state: FormState, _ look: Look) {
        let (texts, path) = (look.texts, AppPath(app: app).categories)
        heading = texts("categories.heading")
        func row(_ label: CategoryLabel) -> Row {
            let count = look.numbers.full(label.devices)
            let state: (key: String, colour: String) =
                !label.isDefined
                ? ("categories.undefined", "warn")
                : label.devices == 0 ? ("categories.unused", "muted") : ("categories.fits", "good")
            return Row(
                rowDimension: label.dimension ?? texts("categories.single"),
                rowLabel: label.label,
                rowTitle: label.title ?? "",
                rowDevices: label.devices >= CategoryLabel.countLimit ? count + "+" : count,
                rowState: PillView(words: texts(state.key), colour: state.colour),
                rawDimension: label.dimension ?? ""
            )
        }
        defined = model.defined.items.map(row)
        hasDefined = !defined.isEmpty
        undefined = model.undefined.items.map(row)
        hasUndefined = !undefined.isEmpty
        hasMoreUndefined = model.undefined.nextCursor != nil
        self.mayEdit = mayEdit
        formPath = path
        undefinePath = path + "/undefine"
        fields = [
            state.field("dimension", texts("categories.dimension"), hint: texts("categories.dimensionHint")),
            state.field("label", texts("categories.label"), hint: texts("categories.labelHint")),
            state.field("title", texts("categories.title")),
        ]
        paging = PagingView(isFirst: model.after == nil, next: model.defined.nextCursor, at: path) {
            FormFields().setting(["after": $0])
        }
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}

extension AppPath {
    var categories: String { home + "/categories" }
}
