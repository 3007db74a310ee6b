import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The statistics ids of an App, each with its sums, and the latest Campaigns with theirs.
enum StatisticsKeyPages {
    /// What was counted under a name.
    struct Sums: Sendable {
        var key: StatisticsKey
        var figures: Figures
    }

    /// Rows of a page: each has a question of its own.
    private static let pageSize = 20

    static func declare(_ routes: inout ConsoleRoutes) {
        let path = "/apps/{app}/statistics/ids"
        routes.page(path, .app(.viewer)) { visit in .page(try await page(visit, .empty)) }
        routes.form(path, .app(.editor)) { visit, state in
            try await page(visit, state)
        } submit: { visit in
            let (app, name) = (try visit.app.id, visit.form.text("name").trimmed)
            guard (1...100).contains(name.count) else {
                throw FormProblems("name", visit.texts("problem.length", ["least": "1", "most": "100"]))
            }
            let key = try await visit.engine.statistics.create(app: app, StatisticsKeyRequest(name: name))
            visit.audit.note(object: key.id.description, change: "name → \(name)")
            return .redirect(AppPath(app: app).statistics + "/ids", Notice("statistics.keyMade", ["name": name]))
        }
    }

    private static func page(_ visit: Visit, _ state: FormState) async throws -> StatisticsKeysView {
        let (app, range) = (try visit.app.id, StatisticsPage.Query(visit.query).range)
        let after = visit.query["after"].flatMap { StatisticsID($0) }
        let keys = try await visit.engine.statistics.keys(app: app, after: after, limit: pageSize)
        var sums: [Sums] = []
        for key in keys.items {
            let query = StatisticsPage.Query(range, key: key.id)
            let series = try await StatisticsPage.read(query, of: app, zone: visit.times.zoneName, visit.engine)
            sums.append(Sums(key: key, figures: series.total))
        }
        var campaigns: [(Campaign, Funnel)] = []
        for campaign in try await visit.engine.campaigns.list(app: app, after: nil, limit: pageSize).items {
            campaigns.append((campaign, try await visit.engine.campaigns.funnel(campaign.id, within: app)))
        }
        let model = StatisticsKeysView.Model(
            sums: sums,
            campaigns: campaigns,
            after: after,
            next: keys.nextCursor,
            range: range,
            mayMake: visit.may(.editor)
        )
        return StatisticsKeysView(model, of: app, state, visit.look)
    }
}

/// The statistics ids as their template shows them.
struct StatisticsKeysView: PageView {
    static let template = "statistics-ids"

    /// What the page shows.
    struct Model: Sendable {
        var sums: [StatisticsKeyPages.Sums]
        var campaigns: [(Campaign, Funnel)]
        var after: StatisticsID?
        var next: String?
        var range: StatisticsPage.Query.Range
        var mayMake: Bool
    }

    /// Counts under a name.
    struct Row: Hashable, Sendable {
        let rowName: String
        let rowID: String
        let rowPath: String
        /// Accepted, received, opened, launched.
        let numbers: [String]
    }

    let heading: String
    let tabs: [TabView]
    let rows: [Row]
    let hasRows: Bool
    let campaigns: [Row]
    let hasCampaigns: Bool
    let paging: PagingView?
    /// The name of a new id; `nil` for who may not make one.
    let newName: FieldView?
    let listPath: String
    let statisticsPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ model: Model, of app: AppID, _ state: FormState, _ look: Look) {
        let (texts, paths) = (look.texts, AppPath(app: app))
        let path = paths.statistics + "/ids"
        heading = texts("statistics.keys")
        tabs = StatisticsPage.Query.Range.allCases.map { range in
            TabView(
                words: texts("statistics.days", count: range.days),
                path: StatisticsPage.Query(range).fields.appended(to: path),
                isCurrent: range == model.range
            )
        }
        rows = model.sums.map { sum in
            Row(
                rowName: sum.key.name,
                rowID: sum.key.id.description,
                rowPath: StatisticsPage.Query(model.range, key: sum.key.id).fields.appended(to: paths.statistics),
                numbers: [sum.figures.accepted, sum.figures.received, sum.figures.opened, sum.figures.launched]
                    .map(look.numbers.full)
            )
        }
        hasRows = !rows.isEmpty
        campaigns = model.campaigns.map { campaign, funnel in
            Row(
                rowName: CampaignText(look: look).name(campaign),
                rowID: campaign.id.description,
                rowPath: paths.campaign(campaign.id),
                numbers: [FunnelFigures(funnel).accepted, funnel.received, funnel.opened, funnel.launched]
                    .map(look.numbers.full)
            )
        }
        hasCampaigns = !campaigns.isEmpty
        paging = PagingView(isFirst: model.after == nil, next: model.next, at: path) {
            StatisticsPage.Query(model.range).fields.setting(["after": $0])
        }
        newName = model.mayMake ? state.field("name", texts("statistics.newName")) : nil
        (listPath, statisticsPath) = (path, paths.statistics)
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}
