import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// The geometry of charts.
struct BarChartTests {
    @Test("K-100 bars stand on zero, and their heights are in proportion to the values")
    func standsOnZero() {
        let chart = BarChart([0, 5, 10, 40], width: 400, height: 100)

        for bar in chart.bars { #expect(bar.y + bar.height == chart.baseline) }
        #expect(chart.bars.map(\.height) == [0, 12.5, 25, 100])
        #expect(chart.bars.map(\.x) == [0, 100, 200, 300])
        #expect(chart.bars.map(\.width) == [99, 99, 99, 99])
        #expect(chart.lines.map(\.value) == [10, 20, 30, 40])
        #expect(chart.lines.map(\.y) == [75, 50, 25, 0])
    }

    @Test("K-100 there are at most 120 bars, and their values add up to all values")
    func joinsBars() {
        for count in [1, 119, 120, 121, 240, 241, 1_440] {
            let values = (0..<count).map { $0 % 7 }
            let chart = BarChart(values)

            #expect(chart.bars.count <= 120)
            #expect(chart.bars.reduce(0) { $0 + $1.value } == values.reduce(0, +))
            #expect(chart.bars.last?.range.upperBound == count)
            #expect(chart.bars.allSatisfy { $0.x >= 0 && $0.x + $0.width <= chart.width + 0.001 && $0.width > 0 })
        }
    }

    @Test("Lines are at most four, at round numbers, and none is above the chart")
    func roundLines() {
        for top in 1...5_000 {
            let lines = BarChart([top]).lines

            #expect((1...4).contains(lines.count))
            #expect(lines.allSatisfy { $0.y >= 0 })
            #expect((lines.last?.value ?? 0) >= top)
        }
        #expect(BarChart([1_234_567]).lines.map(\.value) == [500_000, 1_000_000, 1_500_000])
    }

    @Test("Zeros and no values have no bars; a small value has one that is seen")
    func smallValues() {
        #expect(BarChart([]).bars.isEmpty)
        #expect(BarChart([0, 0]).largest == nil)
        #expect(BarChart([1, 1_000_000]).bars[0].height == BarChart.leastHeight)
        #expect(BarChart([-5, 3]).bars[0].value == 0)
    }

    @Test("Coordinates have at most two decimals and no exponent")
    func coordinates() {
        #expect(BarChart.text(0) == "0")
        #expect(BarChart.text(12.5) == "12.5")
        #expect(BarChart.text(1.0 / 3) == "0.33")
        #expect(BarChart.text(2.05) == "2.05")
        #expect(BarChart.text(-0.25) == "-0.25")
        #expect(BarChart.text(960) == "960")
    }
}

/// The spans of a series.
struct SeriesSpansTests {
    private func series(
        _ unit: StatisticsUnit,
        _ from: String,
        _ until: String,
        zone: String = "UTC",
        _ points: [String: Int] = [:]
    ) throws -> StatisticsSeries {
        StatisticsSeries(
            from: try #require(Timestamp(from)),
            until: try #require(Timestamp(until)),
            unit: unit,
            timeZone: zone,
            points: try points.map { time, accepted in
                var figures = Figures()
                figures.accepted = accepted
                return StatisticsSeries.Point(at: try #require(Timestamp(time)), figures: figures)
            }
        )
    }

    @Test("Spans without counts are there, with zeros")
    func fills() throws {
        let spans = SeriesSpans(
            try series(
                .tenMinutes,
                "2026-11-26T10:00:00Z",
                "2026-11-26T11:00:00Z",
                ["2026-11-26T10:10:00Z": 3, "2026-11-26T10:50:00Z": 4]
            )
        )

        #expect(spans.values { $0.accepted } == [0, 3, 0, 0, 0, 4])
        #expect(spans.spans[1].at == Timestamp("2026-11-26T10:10:00Z"))
    }

    @Test("Days are those of the zone, also where clocks change, at midnight too")
    func days() throws {
        // Clocks go forward at 02:00 on 29 March.
        let berlin = SeriesSpans(
            try series(
                .day,
                "2026-03-27T23:00:00Z",
                "2026-03-30T22:00:00Z",
                zone: "Europe/Berlin",
                ["2026-03-28T23:00:00Z": 1, "2026-03-29T22:00:00Z": 2]
            )
        )
        #expect(berlin.values { $0.accepted } == [0, 1, 2])

        // Clocks go back from 24:00 to 23:00 on 24 October.
        let beirut = SeriesSpans(
            try series(
                .day,
                "2026-10-23T21:00:00Z",
                "2026-10-26T22:00:00Z",
                zone: "Asia/Beirut",
                ["2026-10-24T22:00:00Z": 5, "2026-10-25T22:00:00Z": 7]
            )
        )
        #expect(beirut.values { $0.accepted } == [0, 5, 7])
    }
}
