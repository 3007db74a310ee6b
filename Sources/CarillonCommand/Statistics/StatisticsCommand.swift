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
            carillon statistics keys list
            """,
        subcommands: [Show.self, StatisticsKeysCommand.self],
        defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show counts of an App or a campaign.")

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
            if let campaign, CampaignID(campaign) == nil {
                throw ValidationError("--campaign is cmp_ and 12 characters.")
            }
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
            let request = request
            let data = try await options.run { try await options.send(request, $0) }
            guard !options.json, options.field == nil else { return try options.show(try JSONValue(response: data)) }
            do {
                StatisticsTable(try JSONDecoder().decode(StatisticsSeries.self, from: data)).print()
            } catch {
                throw CommandFailure.described(error)
            }
        }

        private var request: OperatorRequest {
            var query: [String: String?] = [
                APIName.from: from, APIName.until: until, "unit": unit, "timeZone": timeZone,
            ]
            if let campaign { return OperatorRequest("GET", "/v1/campaigns/\(campaign)/statistics", query: query) }
            query["statistics"] = statistics
            query["channel"] = channel
            return OperatorRequest("GET", "/v1/statistics", query: query, app: .query)
        }
    }
}

/// A series as sparklines and a table.
struct StatisticsTable {
    private static let width = 60
    private static let counts: [(title: String, count: @Sendable (Figures) -> Int)] = [
        ("targeted", { $0.targeted }), ("skipped", { $0.skipped.values.reduce(0, +) }), ("accepted", { $0.accepted }),
        ("failed", { $0.failed.values.reduce(0, +) }), ("received", { $0.received }), ("opened", { $0.opened }),
        ("dismissed", { $0.dismissed }), ("launched", { $0.launched }), ("actions", { $0.actions }),
        ("replies", { $0.replies }),
    ]

    private let series: StatisticsSeries

    init(_ series: StatisticsSeries) { self.series = series }

    var lines: [String] { sparklines + table + reasons }

    func print() { for line in lines { Swift.print(Terminal.escaped(line)) } }

    // MARK: - Private

    private var table: [String] {
        var table = TextTable(["FROM"] + Self.counts.map { $0.title.uppercased() })
        for point in series.points { add(String(point.at.description.prefix(16)) + "Z", point.figures, to: &table) }
        add("total", series.total, to: &table)
        return table.lines
    }

    private func add(_ title: String, _ figures: Figures, to table: inout TextTable) {
        table.add([title] + Self.counts.map { String($0.count(figures)) })
    }

    /// A line for each count that is not 0; empty for fewer than two points.
    private var sparklines: [String] {
        let (begin, end) = (series.from, series.until)
        let span = Double(end.rawValue - begin.rawValue)
        guard series.points.count > 1, span > 0 else { return [] }
        let shown = Self.counts.filter { $0.count(series.total) > 0 }
        let lines = shown.map { title, count in
            let points = series.points.map { (Double($0.at.rawValue - begin.rawValue) / span, count($0.figures)) }
            let line = Sparkline(counts: Sparkline.columns(points, width: Self.width)).text
            return "\(Text.padded(title, 10))▕\(line)▏ \(Text.grouped(count(series.total)))"
        }
        return ["\(begin) to \(end)"] + lines + [""]
    }

    private var reasons: [String] {
        Self.sorted(series.total.failed).map { "failed, \($0.key): \($0.value)" }
            + Self.sorted(series.total.skipped).map { "skipped, \($0.key): \($0.value)" }
            + Self.sorted(series.actionKeys ?? [:]).map {
                "action \($0.key.isEmpty ? "(others)" : $0.key): \($0.value)"
            }
    }

    private static func sorted(_ counts: [String: Int]) -> [(key: String, value: Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }
}
