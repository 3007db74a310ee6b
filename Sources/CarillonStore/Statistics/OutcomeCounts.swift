import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// How many rows of each outcome and reason a commit wrote: the totals of the Occurrence and its series in time.
struct OutcomeCounts {
    private struct Key: Hashable, Comparable {
        var outcome: Int64
        var reason: Int64

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.outcome, lhs.reason) < (rhs.outcome, rhs.reason) }
    }

    var isEmpty: Bool { accepted == 0 && others.isEmpty }

    private var accepted = 0
    private var others: [Key: Int] = [:]

    /// Enters rows that are new.
    mutating func add(_ outcome: Delivery.Outcome, reason: Int64, count: Int = 1) {
        if outcome == .accepted {
            accepted += count
        } else {
            others[Key(outcome: outcome.code, reason: reason), default: 0] += count
        }
    }

    /// Adds the rows to the counters.
    ///
    /// - Parameters:
    ///   - connection: In the transaction that wrote them.
    ///   - app: Whose.
    ///   - occurrence: Whose.
    ///   - time: That of the rows.
    /// - Throws: ``StoreError``.
    func write(
        to connection: any SQLConnection,
        app: AppID,
        occurrence: OccurrenceID,
        at time: Timestamp
    ) throws {
        var statistics = StatisticsAccumulator(app: app)
        var counts = others
        if accepted > 0 { counts[Key(outcome: Delivery.Outcome.accepted.code, reason: 0)] = accepted }
        for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
            try connection.statistics.addToTotal(
                count,
                outcome: key.outcome,
                reason: key.reason,
                of: occurrence,
                app: app
            )
            guard let kind = StatisticsKind(rawValue: key.outcome) else { continue }
            statistics.add(count, kind, reason: key.reason, of: occurrence, at: time)
        }
        try statistics.write(to: connection)
    }
}

extension StatisticsTable {
    /// Adds to an Occurrence's total of an outcome, in this connection's slot.
    func addToTotal(
        _ count: Int,
        outcome: Int64,
        reason: Int64,
        of occurrence: OccurrenceID,
        app: AppID
    ) throws {
        try connection.send(
            connection.dialect.pick(
                sqlite: """
                    INSERT INTO delivery_counts (app_id, occurrence_id, outcome, reason, count, slot)
                    VALUES ($1, $2, $3, $4, $5, 0)
                    ON CONFLICT (app_id, occurrence_id, outcome, reason, slot)
                    DO UPDATE SET count = delivery_counts.count + excluded.count
                    """,
                postgreSQL: """
                    INSERT INTO delivery_counts (app_id, occurrence_id, outcome, reason, count, slot)
                    VALUES ($1, $2, $3, $4, $5, pg_backend_pid())
                    ON CONFLICT (app_id, occurrence_id, outcome, reason, slot)
                    DO UPDATE SET count = delivery_counts.count + excluded.count
                    """
            ),
            app,
            occurrence,
            outcome,
            reason,
            count
        )
    }
}
