package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// A query of statistics; missing values have defaults.
package struct StatisticsQuestion: Hashable, Sendable {
    /// Default: a day before ``to``; for a Campaign when it began.
    package var from: Timestamp?
    /// Default: now.
    package var until: Timestamp?
    /// Default: minutes for up to three hours, ten minutes for up to a day, hours for up to a week, otherwise days.
    package var unit: StatisticsUnit?
    /// An IANA name; default: UTC.
    package var timeZone: String?
    /// Only counts under these keys, at most twenty; for an App only.
    package var keys: [StatisticsID] = []
    /// Only counts of this channel; for an App only.
    package var channel: Campaign.Channel?
    /// Only counts of this firing; for a Campaign only.
    package var occurrence: OccurrenceID?

    package init() {}
}

/// Counts by time, and the keys under which they are gathered.
package struct Statistics: Sendable {
    /// Maximum number of keys of a query.
    package static let maximumKeys = 20
    /// Maximum number of keys of an App.
    package static let keyLimit = 1_000
    private static let usualRange = StatisticsRange.day
    private static let longestRange = StatisticsUnit.day.longestRange

    let store: any StatisticsStore
    let campaigns: any CampaignStore
    let sender: any Sender
    let ids: IDSource
    let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores the counts.
    ///   - campaigns: The Campaigns.
    ///   - sender: Decides which causes concern a device token.
    ///   - ids: Generates ids.
    ///   - clock: The wall clock.
    package init(
        store: any StatisticsStore,
        campaigns: any CampaignStore,
        sender: any Sender,
        ids: IDSource,
        clock: any WallClock
    ) {
        self.store = store
        self.campaigns = campaigns
        self.sender = sender
        self.ids = ids
        self.clock = clock
    }

    /// Returns an App's counts, without test sends.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` with the limit that the query exceeds.
    package func series(
        of app: AppID,
        _ question: StatisticsQuestion
    ) async throws(EngineError) -> StatisticsSeries {
        guard question.keys.count <= Self.maximumKeys else {
            throw .invalid(FieldError(field: "statistics", problem: "must name at most \(Self.maximumKeys) ids"))
        }
        let until = question.until ?? afterNow
        let from = question.from ?? until.advanced(by: .zero - Self.usualRange)
        let scope = StatisticsReading.Scope.app(question.keys, question.channel)
        return try await series(scope, of: app, from: from, until: until, question)
    }

    /// Returns a Campaign's counts, including the number of each of its actions.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such Campaign; as ``series(of:_:)``.
    package func series(
        of id: CampaignID,
        within app: AppID?,
        _ question: StatisticsQuestion
    ) async throws(EngineError) -> StatisticsSeries {
        let campaign = try await stored(try await campaigns.campaign(id, within: app))
        guard let campaign else { throw .notFound(.campaign) }
        let begin = campaign.startedAt ?? campaign.createdAt
        let until = question.until ?? max(afterNow, (question.from ?? begin).advanced(by: StatisticsRange.minute))
        let from = question.from ?? max(begin, until.advanced(by: .zero - Self.longestRange))
        // A range that ends before the Campaign began is empty, not invalid.
        let range = from < until ? from : until.advanced(by: .zero - StatisticsRange.minute)
        var series = try await series(
            .campaign(id, question.occurrence),
            of: campaign.app,
            from: question.from == nil ? range : from,
            until: until,
            question
        )
        series.actionKeys = try await stored(try await store.actionCounts(of: id, app: campaign.app))
        return series
    }

    // MARK: - Private

    /// The end of a range that includes what happens now, even if a span begins now.
    private var afterNow: Timestamp { clock.now().advanced(by: .milliseconds(1)) }

    private func series(
        _ scope: StatisticsReading.Scope,
        of app: AppID,
        from: Timestamp,
        until: Timestamp,
        _ question: StatisticsQuestion
    ) async throws(EngineError) -> StatisticsSeries {
        let name = question.timeZone ?? "UTC"
        guard name.utf8.count <= 64, let zone = TimeZone(identifier: name) else {
            throw .invalid(FieldError(field: "timeZone", problem: "must be an IANA name, as Asia/Tokyo"))
        }
        let range: StatisticsRange
        do throws(FieldError) {
            range = try StatisticsRange(from: from, until: until, unit: question.unit, zone: zone)
        } catch {
            throw .invalid(error)
        }
        var points = PointList()
        for piece in range.pieces {
            let reading = StatisticsReading(
                app: app,
                scope: scope,
                minutes: piece.minutes,
                unit: range.unit.minutes,
                offset: piece.offset
            )
            let rows = try await stored(try await store.figures(reading))
            for row in rows.sorted(by: { $0.span < $1.span }) {
                let isTokensFault = sender.blamesToken(FailureReason(rawValue: row.reason))
                points.add(row, at: range.begin(of: row.span, in: piece), isTokensFault: isTokensFault)
            }
        }
        return StatisticsSeries(
            from: range.start,
            until: range.end,
            unit: range.unit,
            timeZone: name,
            points: points.points
        )
    }
}

/// Merges rows in order: a day that a change of the clocks divides is one span in both parts.
private struct PointList {
    private(set) var points: [StatisticsSeries.Point] = []
    private var lastSpan: Int64?

    mutating func add(_ row: StatisticsRow, at begin: Timestamp, isTokensFault: Bool) {
        if row.span != lastSpan { points.append(StatisticsSeries.Point(at: begin, figures: Figures())) }
        lastSpan = row.span
        points[points.count - 1].figures.add(row, isTokensFault: isTokensFault)
    }
}

extension Figures {
    fileprivate mutating func add(_ row: StatisticsRow, isTokensFault: Bool) {
        switch row.kind {
        case .accepted:
            targeted += row.count
            accepted += row.count
        case .skipped:
            targeted += row.count
            skipped[row.reason, default: 0] += row.count
        case .failed, .expired:
            targeted += row.count
            failed[row.reason, default: 0] += row.count
            if isTokensFault { failedByToken += row.count } else { failedOtherwise += row.count }
        case .received: received += row.count
        case .opened: opened += row.count
        case .dismissed: dismissed += row.count
        case .action: actions += row.count
        case .launched: launched += row.count
        case .reply: replies += row.count
        }
    }
}
