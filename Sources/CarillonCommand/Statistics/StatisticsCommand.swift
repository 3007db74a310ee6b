import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon statistics`: counts by time, as a table.
struct StatisticsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statistics",
        abstract: "Show counts of an App or a campaign, by minute to day.",
        discussion: """
            carillon statistics --unit day --time-zone Asia/Tokyo --from 2026-03-01T00:00:00+09:00
            carillon statistics --campaign cmp_0fk2m9q3tw7x
            """
    )

    @OptionGroup var options: OperatorOptions

    @Option(help: "A campaign's id, cmp_…; otherwise the App's counts, without test sends.")
    var campaign: String?

    @Option(help: "From when, as 2026-03-01T00:00:00Z. (default: a day before the end; a campaign's begin)")
    var from: String?

    @Option(help: "Until when. (default: now)")
    var until: String?

    @Option(help: "minute, 10minutes, hour or day. (default: by the range)")
    var unit: String?

    @Option(help: "The time zone of days, such as Asia/Tokyo. (default: UTC)")
    var timeZone: String?

    @Option(help: "Only counts under these statistics keys, separated by commas.")
    var statistics: String?

    @Option(help: "Only this kind of token: notification or voip.")
    var channel: String?

    func validate() throws {
        if let campaign, CampaignID(campaign) == nil { throw ValidationError("--campaign is cmp_ and 12 characters.") }
        if let unit, StatisticsUnit(rawValue: unit) == nil {
            throw ValidationError(
                "--unit is one of \(StatisticsUnit.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        if campaign != nil, statistics != nil || channel != nil {
            throw ValidationError("--statistics and --channel are for an App's counts.")
        }
    }

    func run() async throws {
        var query: [String: String?] = ["from": from, "until": until, "unit": unit, "timeZone": timeZone]
        let path: String
        if let campaign {
            path = "/v1/campaigns/\(campaign)/statistics"
        } else {
            path = "/v1/statistics"
            query["app"] = options.app
            query["statistics"] = statistics
            query["channel"] = channel
        }
        try await options.run { [query] api in
            if options.json {
                print(String(decoding: try await api.call("GET", path, query), as: UTF8.self))
            } else {
                StatisticsTable(try await api.get(path, query)).print()
            }
        }
    }
}

/// A series as a table.
struct StatisticsTable {
    private let series: StatisticsSeries

    init(_ series: StatisticsSeries) { self.series = series }

    var lines: [String] {
        var table = TextTable(
            "from",
            "targeted",
            "skipped",
            "accepted",
            "failed",
            "received",
            "opened",
            "launched",
            "actions",
            "replies"
        )
        for point in series.points { add(String(point.at.description.prefix(16)) + "Z", point.figures, to: &table) }
        add("total", series.total, to: &table)
        let causes = series.total.failed.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let skips = series.total.skipped.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let actions = (series.actionKeys ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return table.lines + causes.map { "failed, \($0.key): \($0.value)" }
            + skips.map { "skipped, \($0.key): \($0.value)" }
            + actions.map { "action \($0.key.isEmpty ? "(others)" : $0.key): \($0.value)" }
    }

    func print() { for line in lines { Swift.print(line) } }

    private func add(_ title: String, _ figures: Figures, to table: inout TextTable) {
        table.add(
            title,
            String(figures.targeted),
            String(figures.skipped.values.reduce(0, +)),
            String(figures.accepted),
            String(figures.failed.values.reduce(0, +)),
            String(figures.received),
            String(figures.opened),
            String(figures.launched),
            String(figures.actions),
            String(figures.replies)
        )
    }
}
