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
    init(_ series: StatisticsSeries, _ query: StatisticsPage.Query, of app: AppID, _ look: Look) {
        let (path, total) = (AppPath(app: app).statistics, series.total)
        heading = look.texts("statistics.heading")
        tabs = StatisticsPage.Query.Range.allCases.map { range in
            TabView(
                words: look.texts("statistics.days", count: range.days),
                path: StatisticsPage.Query(range).fields.appended(to: path),
                isCurrent: range == query.range
            )
        }
        let failed = total.failedByToken + total.failedOtherwise
        let (attempted, skipped) = (total.accepted + failed, total.skipped.values.reduce(0, +))
        let numbers: [(name: String, number: Int, whole: Int?)] = [
            ("targeted", total.targeted, nil), ("skipped", skipped, total.targeted),
            ("accepted", total.accepted, attempted), ("notAccepted", failed, attempted),
            ("received", total.received, total.accepted), ("opened", total.opened, total.accepted),
            ("acted", total.actions, total.opened),
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
