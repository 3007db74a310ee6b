import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Figures by time in SQL.
struct StatisticsRepository: StatisticsStore {
    static let longSpan = StatisticsAccumulator.longSpan

    let database: any Database

    func figures(_ reading: StatisticsReading) async throws(StoreError) -> [StatisticsRow] {
        try await database.read { connection in
            switch reading.scope {
            case .campaign(let campaign, let occurrence):
                return try connection.statistics.figures(of: campaign, occurrence, reading)
            case .app(let keys, let channel):
                guard !keys.isEmpty else { return try connection.statistics.figures(under: nil, channel, reading) }
                var rows: [StatisticsRow] = []
                for key in Set(keys) { rows += try connection.statistics.figures(under: key, channel, reading) }
                return rows
            }
        }
    }

    func actionCounts(of campaign: CampaignID, app: AppID) async throws(StoreError) -> [String: Int] {
        let counts = try await database.read { connection in
            try connection.all(
                """
                SELECT a.action, CAST(SUM(a.count) AS BIGINT) FROM occurrences o
                JOIN action_counts a ON a.app_id = $1 AND a.occurrence_id = o.id
                WHERE o.app_id = $1 AND o.campaign_id = $2
                GROUP BY a.action ORDER BY a.action LIMIT 1000
                """,
                app,
                campaign,
                as: (String, Int).self
            )
        }
        return Dictionary(counts) { $0 + $1 }
    }
}

extension StatisticsTable {
    fileprivate func figures(
        under key: StatisticsID?,
        _ channel: Campaign.Channel?,
        _ reading: StatisticsReading
    ) throws -> [StatisticsRow] {
        // A span of the long buckets is made of whole ones, from its first minute on.
        let isLong = reading.unit % StatisticsAccumulator.longSpan == 0
        return try connection.all(
            """
            SELECT \(FigureColumn.list(of: "f")) FROM (
                SELECT (bucket + CAST($1 AS BIGINT)) / CAST($2 AS BIGINT) AS span, kind, reason,
                    CAST(SUM(count) AS BIGINT) AS count
                FROM statistics_by_time
                WHERE app_id = $3 AND unit = $4 AND bucket >= $5 AND bucket < $6
                    AND (CAST($7 AS BIGINT) < 0 OR statistics_id = $7) AND (CAST($8 AS BIGINT) < 0 OR channel = $8)
                GROUP BY 1, 2, 3
            ) f LEFT JOIN delivery_reasons r ON r.code = f.reason
            """,
            reading.offset,
            reading.unit,
            reading.app,
            isLong ? StatisticsAccumulator.longSpan : 1,
            reading.minutes.lowerBound,
            reading.minutes.upperBound,
            key?.rawValue ?? -1,
            channel?.code ?? -1,
            read: StatisticsRow.init(row:)
        )
    }

    fileprivate func figures(
        of campaign: CampaignID,
        _ occurrence: OccurrenceID?,
        _ reading: StatisticsReading
    ) throws -> [StatisticsRow] {
        try connection.all(
            """
            SELECT \(FigureColumn.list(of: "f")) FROM (
                SELECT (s.bucket + CAST($1 AS BIGINT)) / CAST($2 AS BIGINT) AS span, s.kind AS kind,
                    s.reason AS reason, CAST(SUM(s.count) AS BIGINT) AS count
                FROM occurrences o
                JOIN statistics_by_occurrence s ON s.app_id = $3 AND s.occurrence_id = o.id
                WHERE o.app_id = $3 AND o.campaign_id = $4 AND o.id >= $5 AND o.id <= $6
                    AND s.bucket >= $7 AND s.bucket < $8
                GROUP BY 1, 2, 3
            ) f LEFT JOIN delivery_reasons r ON r.code = f.reason
            """,
            reading.offset,
            reading.unit,
            reading.app,
            campaign,
            occurrence?.rawValue ?? 0,
            occurrence?.rawValue ?? .max,
            reading.minutes.lowerBound,
            reading.minutes.upperBound,
            read: StatisticsRow.init(row:)
        )
    }
}

/// The columns of figures, which are gathered in a subquery.
private enum FigureColumn: Int, SQLColumn {
    case span, kind, reason, count

    var sql: String { self == .reason ? "COALESCE(r.reason, '')" : name }
}

extension StatisticsRow {
    fileprivate init(row: SQLRow<FigureColumn>) throws {
        self.init(span: try row[.span], kind: try row[.kind], reason: try row[.reason], count: try row[.count])
    }
}

extension StatisticsKind: SQLReadable {}
