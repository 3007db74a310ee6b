package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// What an operator asks about figures; what is missing has a default.
package struct StatisticsQuestion: Hashable, Sendable {
    /// Missing: a day before ``to``; for a Campaign when it began.
    package var from: Timestamp?
    /// Missing: now.
    package var to: Timestamp?
    /// Missing: minutes for up to three hours, ten minutes for up to a day, hours for up to a week, else days.
    package var unit: StatisticsUnit?
    /// An IANA name; missing: UTC.
    package var timeZone: String?
    /// Only what was gathered under these keys, at most twenty; for an App's figures.
    package var keys: [StatisticsID] = []
    /// Only what went this way; for an App's figures.
    package var channel: Campaign.Channel?

    package init() {}
}

/// Figures by time, and the keys that they are gathered under.
package struct Statistics: Sendable {
    /// How many keys may be asked about at once.
    package static let maximumKeys = 20
    /// How many keys an App may have.
    package static let keyLimit = 1_000
    private static let usualRange = StatisticsRange.day
    private static let longestRange = StatisticsUnit.day.longestRange

    let store: any StatisticsStore
    let campaigns: any CampaignStore
    let sender: any Sender
    let ids: IDSource
    let clock: any WallClock

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Has the figures.
    ///   - campaigns: Has the Campaigns.
    ///   - sender: Knows which causes are a device token's.
    ///   - ids: Makes ids.
    ///   - clock: What now is.
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

    /// What happened in an App, without test sends.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` naming the limit that the question is beyond.
    package func series(
        of app: AppID,
        _ question: StatisticsQuestion
    ) async throws(EngineError) -> StatisticsSeries {
        guard question.keys.count <= Self.maximumKeys else {
            throw .invalid(FieldError(field: "statistics", problem: "must name at most \(Self.maximumKeys) ids"))
        }
        let to = question.to ?? afterNow
        let from = question.from ?? to.advanced(by: .zero - Self.usualRange)
        let scope = StatisticsReading.Scope.app(question.keys, question.channel)
        return try await series(scope, of: app, from: from, to: to, question)
    }

    /// What became of a Campaign, and how often each of its actions was taken.
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
        let to = question.to ?? max(afterNow, (question.from ?? begin).advanced(by: StatisticsRange.minute))
        let from = question.from ?? max(begin, to.advanced(by: .zero - Self.longestRange))
        // What ends before the Campaign began is an empty range, not a wrong one.
        let range = from < to ? from : to.advanced(by: .zero - StatisticsRange.minute)
        var series = try await series(
            .campaign(id),
            of: campaign.app,
            from: question.from == nil ? range : from,
            to: to,
            question
        )
        series.actionKeys = try await stored(try await store.actionCounts(of: id, app: campaign.app))
        return series
    }

    // MARK: - Private

    /// What happens now is in the range, also when a span begins now.
    private var afterNow: Timestamp { clock.now().advanced(by: .milliseconds(1)) }

    private func series(
        _ scope: StatisticsReading.Scope,
        of app: AppID,
        from: Timestamp,
        to: Timestamp,
        _ question: StatisticsQuestion
    ) async throws(EngineError) -> StatisticsSeries {
        let name = question.timeZone ?? "UTC"
        guard name.utf8.count <= 64, let zone = TimeZone(identifier: name) else {
            throw .invalid(FieldError(field: "timeZone", problem: "must be an IANA name, as Asia/Tokyo"))
        }
        let range: StatisticsRange
        do throws(FieldError) {
            range = try StatisticsRange(from: from, to: to, unit: question.unit, zone: zone)
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
            to: range.end,
            unit: range.unit,
            timeZone: name,
            points: points.points
        )
    }
}

/// Gathers rows that come in order: a day that a change of the clocks cut in two is one span in both parts.
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
