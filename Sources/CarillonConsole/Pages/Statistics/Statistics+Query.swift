import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// The statistics of an App by day.
enum StatisticsPage {
    /// The query of the page.
    struct Query: Hashable, Sendable {
        /// How far back it reaches.
        enum Range: String, Hashable, Sendable, CaseIterable {
            case week = "7"
            case month = "30"
            case quarter = "90"
            case year = "365"

            var days: Int { Int(rawValue) ?? 30 }
        }

        var range = Range.month
        /// Only Campaigns with this statistics id; `nil` for all of the App.
        var key: StatisticsID?

        init(_ range: Range, key: StatisticsID? = nil) { (self.range, self.key) = (range, key) }

        /// Reads the query; what is malformed counts as missing.
        init(_ fields: FormFields) {
            range = fields["days"].flatMap(Range.init(rawValue:)) ?? .month
            key = fields["id"].flatMap { StatisticsID($0) }
        }

        var fields: FormFields {
            FormFields().setting(["days": range == .month ? nil : range.rawValue, "id": key?.description])
        }
    }

    /// Ids that the form offers, and rows of their list.
    static let keyCount = 50

    /// Reads the counts of the last days, today as well.
    ///
    /// - Parameters:
    ///   - query: How far back.
    ///   - app: The App.
    ///   - zone: The zone of the days.
    ///   - engine: The services.
    /// - Returns: The counts by day; in UTC where the days of the zone cannot be counted.
    /// - Throws: ``EngineError``.
    static func read(
        _ query: Query,
        of app: AppID,
        zone: String,
        _ engine: Engine
    ) async throws -> StatisticsSeries {
        let now = engine.context.clock.now()
        var question = StatisticsQuestion()
        question.unit = .day
        question.keys = [query.key].compactMap(\.self)
        question.timeZone = zone
        question.until = now.advanced(by: .milliseconds(1))
        question.from = first(of: query.range.days, until: now, in: zone)
        do throws(EngineError) {
            return try await engine.statistics.series(of: app, question)
        } catch {
            guard error.isInvalid else { throw error }
            // Those of a zone that is no whole half hours away from UTC.
            question.timeZone = nil
            question.from = first(of: query.range.days, until: now, in: "UTC")
            return try await engine.statistics.series(of: app, question)
        }
    }

    /// A time on the first of so many calendar days, of which the last is today: not each has 24 hours.
    static func first(of days: Int, until now: Timestamp, in zone: String) -> Timestamp {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
        let date = Date(timeIntervalSince1970: Double(now.rawValue) / 1_000)
        guard let first = calendar.date(byAdding: .day, value: 1 - days, to: calendar.startOfDay(for: date)) else {
            return now.advanced(by: .seconds(-86_400 * (days - 1)))
        }
        return Timestamp(rawValue: Int64(first.timeIntervalSince1970 * 1_000))
    }

    /// A table of all counts by day.
    static func report(_ series: StatisticsSeries, _ look: Look) -> [[String]] {
        let header = [
            "day", "targeted", "skipped", "accepted", "failed_by_token", "failed_otherwise", "received", "opened",
            "dismissed", "launched", "actions", "replies",
        ]
        return [header]
            + SeriesSpans(series).spans.map { span in
                let figures = span.figures
                let numbers = [
                    figures.targeted, figures.skipped.values.reduce(0, +), figures.accepted, figures.failedByToken,
                    figures.failedOtherwise, figures.received, figures.opened, figures.dismissed, figures.launched,
                    figures.actions, figures.replies,
                ]
                return [look.times.table(span.at).iso] + numbers.map(String.init)
            }
    }
}
