import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

private enum DeliveryCountColumn: Int, SQLColumn {
    case occurrenceID, outcome, reason, count

    var sql: String { self == .reason ? "COALESCE(r.reason, '')" : name }
}

/// The figures of many Occurrences in two statements.
extension WebhookTable {
    /// What became of Occurrences so far.
    ///
    /// - Parameters:
    ///   - occurrences: Which, bounded by the caller.
    ///   - app: Whose.
    /// - Returns: The figures of each of which there are any.
    /// - Throws: ``StoreError``.
    func funnels(of occurrences: [OccurrenceID], app: AppID) throws -> [OccurrenceID: Funnel] {
        let ids = try JSONText.encode(occurrences.map(\.rawValue))
        var funnels: [OccurrenceID: Funnel] = [:]
        for (id, outcome, reason, count) in try deliveryCounts(ids, app) {
            funnels[id, default: Funnel()].add(count, outcome, reason)
        }
        for (id, kind, count) in try eventCounts(ids, app) {
            funnels[id, default: Funnel()].add(count, eventCode: kind)
        }
        return funnels
    }

    private func deliveryCounts(
        _ ids: String,
        _ app: AppID
    ) throws -> [(OccurrenceID, Delivery.Outcome?, String, Int)] {
        try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT \(DeliveryCountColumn.list(of: "n")) FROM delivery_counts n
                    LEFT JOIN delivery_reasons r ON r.code = n.reason
                    WHERE n.app_id = $1 AND n.occurrence_id IN (SELECT value FROM json_each($2))
                    """,
                postgreSQL: """
                    SELECT \(DeliveryCountColumn.list(of: "n")) FROM delivery_counts n
                    LEFT JOIN delivery_reasons r ON r.code = n.reason
                    WHERE n.app_id = $1 AND n.occurrence_id = ANY (
                        ARRAY(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST($2 AS JSON))))
                    """
            ),
            app,
            ids
        ) { (row: SQLRow<DeliveryCountColumn>) in
            (try row[.occurrenceID], Delivery.Outcome(code: try row[.outcome]), try row[.reason], try row[.count])
        }
    }

    private func eventCounts(_ ids: String, _ app: AppID) throws -> [(OccurrenceID, Int64, Int)] {
        try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT n.occurrence_id, n.kind, n.count FROM event_counts n
                    WHERE n.app_id = $1 AND n.occurrence_id IN (SELECT value FROM json_each($2))
                    """,
                postgreSQL: """
                    SELECT n.occurrence_id, n.kind, n.count FROM event_counts n
                    WHERE n.app_id = $1 AND n.occurrence_id = ANY (
                        ARRAY(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST($2 AS JSON))))
                    """
            ),
            app,
            ids,
            as: (OccurrenceID, Int64, Int).self
        )
    }
}
