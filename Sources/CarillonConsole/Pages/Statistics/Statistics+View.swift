import CarillonModel
import CarillonOperatorModel

/// The statistics of an App as their template shows them.
struct StatisticsView: PageView {
    static let template = "statistics"

    /// A sum of the range.
    struct Total: Hashable, Sendable {
        let totalName: String
        let totalNumber: String
        let totalShare: String
    }

    let heading: String
    let tabs: [TabView]
    /// The choice of a statistics id; `nil` while the App has none.
    let keyChoice: SelectView?
    let days: String
    let listPath: String
    let keysPath: String
    let totals: [Total]
    let failures: [ReasonView]
    let hasFailures: Bool
    let skips: [ReasonView]
    let hasSkips: Bool
    let charts: ChartsView?
    /// Whether nothing was counted in the range.
    let isNothing: Bool
    let reportPath: String
}

extension StatisticsView {
    /// Creates the page.
    ///
    /// - Parameters:
    ///   - series: The counts by day.
    ///   - query: Which range and which statistics id.
    ///   - keys: The App's statistics ids, or the first of many.
    ///   - app: The App.
    ///   - look: The words of the page.
    init(
        _ series: StatisticsSeries,
        _ query: StatisticsPage.Query,
        keys: [StatisticsKey],
        of app: AppID,
        _ look: Look
    ) {
        let (path, total) = (AppPath(app: app).statistics, series.total)
        heading = look.texts("statistics.heading")
        tabs = StatisticsPage.Query.Range.allCases.map { range in
            TabView(
                words: look.texts("statistics.days", count: range.days),
                path: StatisticsPage.Query(range, key: query.key).fields.appended(to: path),
                isCurrent: range == query.range
            )
        }
        var options = [(value: "", text: look.texts("statistics.allCampaigns"))]
        options += keys.map { (value: $0.id.description, text: $0.name) }
        if let key = query.key, !keys.contains(where: { $0.id == key }) {
            options.append((value: key.description, text: key.description))
        }
        let state = FormState(values: FormFields([("id", query.key?.description ?? "")]))
        keyChoice = options.count == 1 ? nil : state.select("id", look.texts("statistics.id"), options)
        (days, listPath, keysPath) = (query.range.rawValue, path, path + "/ids")
        let failed = total.failedByToken + total.failedOtherwise
        let (attempted, skipped) = (total.accepted + failed, total.skipped.values.reduce(0, +))
        let numbers: [(name: String, number: Int, whole: Int?)] = [
            ("targeted", total.targeted, nil), ("skipped", skipped, total.targeted),
            ("accepted", total.accepted, attempted), ("notAccepted", failed, attempted),
            ("received", total.received, total.accepted), ("opened", total.opened, total.accepted),
            ("launched", total.launched, total.accepted), ("acted", total.actions, total.opened),
        ]
        totals = numbers.map { name, number, whole in
            Total(
                totalName: look.texts.word("chart", name),
                totalNumber: look.numbers.full(number),
                totalShare: whole.map { look.numbers.percent(number, of: $0) } ?? ""
            )
        }
        let counts = total.failed.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { FailureCount(reason: $0.key, outcome: .failed, count: $0.value) }
        failures = ReasonView.failures(counts, of: attempted, look)
        hasFailures = !failures.isEmpty
        skips = ReasonView.skips(total.skipped, of: total.targeted, look)
        hasSkips = !skips.isEmpty
        charts = ChartsView(series, id: "app", ChartsView.ofApp, look)
        isNothing = charts == nil
        reportPath = query.fields.appended(to: path + ".csv")
    }
}
