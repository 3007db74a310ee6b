import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// The spans of a series in order, also those without counts, which the engine leaves out.
struct SeriesSpans: Hashable, Sendable {
    /// One span.
    struct Span: Hashable, Sendable {
        /// When it begins.
        let at: Timestamp
        let figures: Figures
    }

    /// Maximum number of spans: a year of days, and more minutes than a series has.
    static let maximumCount = 1_500

    let unit: StatisticsUnit
    let spans: [Span]

    init(_ series: StatisticsSeries) {
        unit = series.unit
        let zone = TimeZone(identifier: series.timeZone) ?? .gmt
        let days = LocalDays(zone: zone)
        var figures: [Int64: Figures] = [:]
        func key(_ time: Timestamp) -> Int64 { series.unit == .day ? days.number(of: time) : time.rawValue }
        for point in series.points { figures[key(point.at), default: Figures()] += point.figures }
        var spans: [Span] = []
        var next = series.from
        while next < series.until, spans.count < Self.maximumCount {
            spans.append(Span(at: next, figures: figures[key(next)] ?? Figures()))
            next = series.unit == .day ? days.midnight(after: next) : next.advanced(by: series.unit.length)
        }
        self.spans = spans
    }

    /// One count of each span.
    func values(_ count: (Figures) -> Int) -> [Int] { spans.map { count($0.figures) } }
}

extension StatisticsUnit {
    /// The length of a span; a day's is not fixed.
    fileprivate var length: Duration {
        switch self {
        case .minute: .seconds(60)
        case .tenMinutes: .seconds(600)
        case .hour: .seconds(3_600)
        case .day: .seconds(86_400)
        }
    }
}

/// The days of a time zone.
private struct LocalDays {
    private static let length: Int64 = 86_400_000
    let zone: TimeZone

    /// The number of the local day, counted from 1970-01-01.
    func number(of time: Timestamp) -> Int64 {
        let local = time.rawValue + offset(time)
        return local >= 0 ? local / Self.length : -((Self.length - 1 - local) / Self.length)
    }

    /// The first instant of the next day.
    func midnight(after time: Timestamp) -> Timestamp {
        let local = (number(of: time) + 1) * Self.length
        let first = local - offset(time)
        // Where clocks change in between, the later of both is the midnight that exists.
        let second = local - offset(Timestamp(rawValue: first))
        return Timestamp(rawValue: max(first, second))
    }

    private func offset(_ time: Timestamp) -> Int64 { Int64(zone.secondsFromGMT(for: time.date)) * 1_000 }
}
