import CarillonModel
import CarillonOperatorModel

/// A bar chart for the template `bar-chart`.
struct ChartView: Hashable, Sendable {
    /// A bar, with coordinates as text.
    struct Bar: Hashable, Sendable {
        let x: String
        let y: String
        let width: String
        let height: String
    }

    /// Distinguishes it on its page.
    let chartID: String
    let chartTitle: String
    /// Its main fact, for those who do not see it.
    let chartDescription: String
    let chartWidth: String
    let chartHeight: String
    let chartBars: [Bar]
    /// The heights of the lines.
    let chartLines: [String]
    /// What the lines mean.
    let chartScale: String
    let chartStart: String
    let chartEnd: String
}

/// Charts of one time axis, and a table of the same numbers.
struct ChartsView: Hashable, Sendable {
    /// What one chart counts.
    struct Series: Sendable {
        /// The key of its name below `chart.`.
        let name: String
        let count: @Sendable (Figures) -> Int

        init(_ name: String, _ count: @escaping @Sendable (Figures) -> Int) {
            self.name = name
            self.count = count
        }
    }

    /// The numbers of one bar of each chart.
    struct Row: Hashable, Sendable {
        let begins: TimeView
        let numbers: [String]
    }

    let chartList: [ChartView]
    /// The names of the columns.
    let chartNames: [String]
    let chartRows: [Row]
    /// The zone of the times.
    let chartZone: String
    /// The caption of the table.
    let chartCaption: String

    /// Draws the charts; `nil` when all counts are zero.
    ///
    /// - Parameters:
    ///   - statistics: The counts.
    ///   - id: Distinguishes them on their page.
    ///   - series: What is counted.
    ///   - look: The words of the page.
    init?(_ statistics: StatisticsSeries, id: String, _ series: [Series], _ look: Look) {
        let spans = SeriesSpans(statistics)
        let isDay = statistics.unit == .day
        func begin(_ index: Int) -> TimeView {
            let time = look.times.table(spans.spans[index].at)
            return isDay ? TimeView(iso: time.iso, text: String(time.text.prefix(10))) : time
        }
        let drawn = series.map { ($0, BarChart(spans.values($0.count))) }
        guard let first = drawn.first?.1, drawn.contains(where: { $0.1.largest != nil }) else { return nil }
        chartList = drawn.map { series, chart in
            ChartView(
                chart,
                id: "\(id)-\(series.name)",
                title: look.texts.word("chart", series.name),
                begin: { begin($0).text },
                look
            )
        }
        chartNames = series.map { look.texts.word("chart", $0.name) }
        chartRows = first.bars.indices.map { index in
            Row(
                begins: begin(first.bars[index].range.lowerBound),
                numbers: drawn.map { look.numbers.full($0.1.bars[index].value) }
            )
        }
        chartZone = look.times.zoneText(at: statistics.from)
        chartCaption = look.texts("chart.caption")
    }
}

extension ChartsView {
    /// Draws what APNs answered in the last hour, of all nodes; `nil` when nothing.
    init?(system nodes: [Node], _ look: Look) {
        let minutes = Dictionary(grouping: nodes.flatMap(\.minutes), by: \.at)
        guard let last = minutes.keys.max(), let first = minutes.keys.min() else { return nil }
        let times = stride(from: first.rawValue, through: last.rawValue, by: 60_000).map(Timestamp.init(rawValue:))
        let series: [(String, (NodeMinute) -> Int)] = [
            ("systemAccepted", { $0.accepted }), ("systemRefused", { $0.refused }), ("systemTooMany", { $0.tooMany }),
        ]
        let drawn = series.map { name, count in
            (name, BarChart(times.map { time in (minutes[time] ?? []).reduce(0) { $0 + count($1) } }))
        }
        guard let sample = drawn.first?.1, drawn.contains(where: { $0.1.largest != nil }) else { return nil }
        func begin(_ index: Int) -> TimeView { look.times.table(times[index]) }
        chartList = drawn.map { name, chart in
            ChartView(
                chart,
                id: "system-\(name)",
                title: look.texts.word("chart", name),
                begin: { begin($0).text },
                look
            )
        }
        chartNames = drawn.map { look.texts.word("chart", $0.0) }
        chartRows = sample.bars.indices.map { index in
            Row(
                begins: begin(sample.bars[index].range.lowerBound),
                numbers: drawn.map { look.numbers.full($0.1.bars[index].value) }
            )
        }
        chartZone = look.times.zoneText(at: last)
        chartCaption = look.texts("chart.caption")
    }
}

extension ChartView {
    fileprivate init(_ chart: BarChart, id: String, title: String, begin: (Int) -> String, _ look: Look) {
        chartID = id
        chartTitle = title
        chartDescription =
            chart.largest.map { bar in
                look.texts(
                    "chart.most",
                    ["number": look.numbers.full(bar.value), "time": begin(bar.range.lowerBound)]
                )
            } ?? look.texts("chart.nothing")
        chartWidth = BarChart.text(chart.width)
        chartHeight = BarChart.text(chart.height)
        chartBars = chart.bars.filter { $0.value > 0 }.map { bar in
            Bar(
                x: BarChart.text(bar.x),
                y: BarChart.text(bar.y),
                width: BarChart.text(bar.width),
                height: BarChart.text(bar.height)
            )
        }
        chartLines = chart.lines.map { BarChart.text($0.y) }
        chartScale = look.texts(
            "chart.scale",
            ["numbers": look.list(chart.lines.map { look.numbers.short($0.value) })]
        )
        chartStart = chart.bars.first.map { begin($0.range.lowerBound) } ?? ""
        chartEnd = chart.bars.last.map { begin($0.range.lowerBound) } ?? ""
    }
}
