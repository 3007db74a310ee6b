import CarillonEngine
import CarillonModel
import CarillonSQL

/// What one transaction counts by time, gathered so that it costs one statement a bucket and kind, not one a row.
///
/// Rows are booked by the minute in their Occurrence's series, and by the minute and the half hour in their App's.
struct StatisticsAccumulator {
    /// How many minutes a bucket of the App's has that is kept long: what all zones' days but three are made of.
    static let longSpan: Int64 = 30

    private struct Line: Hashable, Comparable {
        var occurrence: OccurrenceID
        var minute: Int64
        var kind: StatisticsKind
        var reason: Int64

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.occurrence, lhs.minute, lhs.kind.rawValue, lhs.reason)
                < (rhs.occurrence, rhs.minute, rhs.kind.rawValue, rhs.reason)
        }
    }

    private struct AppLine: Hashable, Comparable {
        var unit: Int64
        var bucket: Int64
        var statisticsID: Int64
        var channel: Int64
        var kind: Int64
        var reason: Int64

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.unit, lhs.bucket, lhs.statisticsID, lhs.channel, lhs.kind, lhs.reason)
                < (rhs.unit, rhs.bucket, rhs.statisticsID, rhs.channel, rhs.kind, rhs.reason)
        }
    }

    private let app: AppID
    private var lines: [Line: Int] = [:]

    init(app: AppID) { self.app = app }

    /// Enters what happened at a time.
    mutating func add(
        _ count: Int,
        _ kind: StatisticsKind,
        reason: Int64 = 0,
        of occurrence: OccurrenceID,
        at time: Timestamp
    ) {
        let line = Line(occurrence: occurrence, minute: max(0, time.rawValue) / 60_000, kind: kind, reason: reason)
        lines[line, default: 0] += count
    }

    /// Adds it to the counters.
    func write(to connection: any SQLConnection) throws {
        guard !lines.isEmpty else { return }
        let accounts = try connection.statistics.statisticsAccounts(of: Set(lines.keys.map(\.occurrence)), app)
        var appLines: [AppLine: Int] = [:]
        for (line, count) in lines.sorted(by: { $0.key < $1.key }) {
            try add(count, to: line, connection)
            // What is not known of an Occurrence that is gone is counted as an ordinary one's.
            let account = accounts[line.occurrence] ?? StatisticsAccount(channel: 1, isTest: false)
            guard !account.isTest else { continue }
            for unit in [1, Self.longSpan] {
                let appLine = AppLine(
                    unit: unit,
                    bucket: line.minute / unit * unit,
                    statisticsID: account.statisticsID(at: line.minute),
                    channel: account.channel,
                    kind: line.kind.rawValue,
                    reason: line.reason
                )
                appLines[appLine, default: 0] += count
            }
        }
        for (line, count) in appLines.sorted(by: { $0.key < $1.key }) {
            try connection.send(
                connection.dialect.pick(sqlite: Self.addByTime, postgreSQL: Self.addByTimeInSlot),
                app,
                line.unit,
                line.bucket,
                line.statisticsID,
                line.channel,
                line.kind,
                line.reason,
                count
            )
        }
    }

    private func add(_ count: Int, to line: Line, _ connection: any SQLConnection) throws {
        try connection.send(
            connection.dialect.pick(sqlite: Self.addByOccurrence, postgreSQL: Self.addByOccurrenceInSlot),
            app,
            line.occurrence,
            line.minute,
            line.kind.rawValue,
            line.reason,
            count
        )
    }

    private static let addByTime: SQL = """
        INSERT INTO statistics_by_time (app_id, unit, bucket, statistics_id, channel, kind, reason, count, slot)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)
        ON CONFLICT (app_id, unit, bucket, statistics_id, channel, kind, reason, slot)
        DO UPDATE SET count = statistics_by_time.count + excluded.count
        """
    private static let addByTimeInSlot: SQL = """
        INSERT INTO statistics_by_time (app_id, unit, bucket, statistics_id, channel, kind, reason, count, slot)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, pg_backend_pid())
        ON CONFLICT (app_id, unit, bucket, statistics_id, channel, kind, reason, slot)
        DO UPDATE SET count = statistics_by_time.count + excluded.count
        """
    private static let addByOccurrence: SQL = """
        INSERT INTO statistics_by_occurrence (app_id, occurrence_id, bucket, kind, reason, count, slot)
        VALUES ($1, $2, $3, $4, $5, $6, 0)
        ON CONFLICT (app_id, occurrence_id, bucket, kind, reason, slot)
        DO UPDATE SET count = statistics_by_occurrence.count + excluded.count
        """
    private static let addByOccurrenceInSlot: SQL = """
        INSERT INTO statistics_by_occurrence (app_id, occurrence_id, bucket, kind, reason, count, slot)
        VALUES ($1, $2, $3, $4, $5, $6, pg_backend_pid())
        ON CONFLICT (app_id, occurrence_id, bucket, kind, reason, slot)
        DO UPDATE SET count = statistics_by_occurrence.count + excluded.count
        """
}

/// What an Occurrence's figures are gathered under.
private struct StatisticsAccount {
    var statisticsID: Int64?
    /// The key's times, in milliseconds.
    var starts: Int64?
    var ends: Int64?
    var channel: Int64
    var isTest: Bool

    /// The key that something of a minute is gathered under; 0 for none.
    ///
    /// A minute belongs to the key when its begin does.
    func statisticsID(at minute: Int64) -> Int64 {
        guard let statisticsID else { return 0 }
        let time = minute * 60_000
        return time >= starts ?? .min && time < ends ?? .max ? statisticsID : 0
    }
}

private enum AccountColumn: Int, SQLColumn {
    case occurrence, statisticsID, starts, ends, channel, isTest

    var sql: String {
        switch self {
        case .occurrence: "o.id"
        case .statisticsID: "k.id"
        case .starts: "k.starts_at"
        case .ends: "k.ends_at"
        case .channel: "c.channel"
        case .isTest: "c.is_test"
        }
    }
}

extension StatisticsTable {
    fileprivate func statisticsAccounts(
        of occurrences: Set<OccurrenceID>,
        _ app: AppID
    ) throws -> [OccurrenceID: StatisticsAccount] {
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT \(AccountColumn.list) FROM json_each($1) n
                    CROSS JOIN occurrences o ON o.app_id = $2 AND o.id = n.value
                    JOIN campaigns c ON c.app_id = $2 AND c.id = o.campaign_id
                    LEFT JOIN statistics_ids k ON k.app_id = $2 AND k.id = c.statistics_id
                    """,
                postgreSQL: """
                    SELECT \(AccountColumn.list) FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS n (value)
                    CROSS JOIN LATERAL (
                        SELECT * FROM occurrences x WHERE x.app_id = $2 AND x.id = n.value LIMIT 1) o
                    CROSS JOIN LATERAL (
                        SELECT * FROM campaigns x WHERE x.app_id = $2 AND x.id = o.campaign_id LIMIT 1) c
                    LEFT JOIN LATERAL (
                        SELECT * FROM statistics_ids x WHERE x.app_id = $2 AND x.id = c.statistics_id LIMIT 1) k ON TRUE
                    """
            ),
            SQLList(occurrences.lazy.map(\.rawValue), connection.dialect),
            app
        ) { (row: SQLRow<AccountColumn>) in
            let account = StatisticsAccount(
                statisticsID: try row[.statisticsID],
                starts: try row[.starts],
                ends: try row[.ends],
                channel: try row[.channel],
                isTest: try row[.isTest]
            )
            return (try row[.occurrence] as OccurrenceID, account)
        }
        return Dictionary(rows) { first, _ in first }
    }
}
