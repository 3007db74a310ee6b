import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Occurrences of repeating Campaigns that have not ended, which would become ever more.
///
/// The first that goes stays as a row that no firing has: `slot` is -1. It gets the counts of all that follow, so that the
/// Campaign's totals are sums over its Occurrences as before.
extension RetentionQueries {
    /// The tables of counts by Occurrence, with their other keys but `slot`.
    private static var countTables: [(table: SQL, keys: SQL)] {
        [
            ("delivery_counts", "outcome, reason"), ("event_counts", "kind"), ("action_counts", "action"),
            ("variant_counts", "variant, outcome"), ("variant_event_counts", "variant, kind"),
        ]
    }

    func dropOccurrences(
        _ app: AppID,
        _ time: Timestamp,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try preferIndexes()
        let seen = try connection.all(
            """
            SELECT id, CASE WHEN finished_at IS NULL AND timing LIKE '%"schedule":%' THEN 1 ELSE 0 END
            FROM campaigns WHERE app_id = $1 AND kind = 0 AND id > $2 AND id < $3 ORDER BY id LIMIT $4
            """,
            app,
            cursor.number,
            CampaignID(milliseconds: time.rawValue, sequence: 0),
            limit,
            as: (CampaignID, Bool).self
        )
        for (campaign, repeats) in seen where repeats {
            let old = try oldOccurrences(of: campaign, app, before: time)
            guard !old.isEmpty else { continue }
            try connection.lock(.campaign(campaign))
            try gather(Array(old.prefix(Self.occurrenceLimit)), of: campaign, app)
            // It is looked at again when it has more.
            let isDone = old.count <= Self.occurrenceLimit
            return RetentionCursor(number: campaign.rawValue - (isDone ? 0 : 1), text: "", occurrence: -1)
        }
        guard seen.count == limit else { return nil }
        return seen.last.map { RetentionCursor(number: $0.0.rawValue, text: "", occurrence: -1) }
    }

    // MARK: - Private

    /// The oldest Occurrences of a Campaign that ended before a time, one more than a step drops; never the last that began.
    private func oldOccurrences(of campaign: CampaignID, _ app: AppID, before time: Timestamp) throws -> [Int64] {
        try connection.all(
            """
            SELECT o.id FROM occurrences o
            WHERE o.app_id = $1 AND o.campaign_id = $2 AND o.id < $3 AND o.slot >= 0 AND o.finished_at < $4
                AND o.id <> COALESCE((SELECT c.occurrence_id FROM campaigns c WHERE c.app_id = $1 AND c.id = $2), -1)
            ORDER BY o.id LIMIT $5
            """,
            app,
            campaign,
            time.firstOccurrence,
            time,
            Self.occurrenceLimit + 1,
            as: Int64.self
        )
    }

    /// Adds the counts of Occurrences to the row of those that went before, and deletes them.
    private func gather(_ occurrences: [Int64], of campaign: CampaignID, _ app: AppID) throws {
        let sum = try connection.first(
            "SELECT id FROM occurrences WHERE app_id = $1 AND campaign_id = $2 AND slot = -1 AND part = 0",
            app,
            campaign,
            as: Int64.self
        )
        guard let target = sum ?? occurrences.first else { return }
        let others = occurrences.filter { $0 != target }
        try connection.run(
            "UPDATE occurrences SET slot = -1, part = 0 WHERE app_id = $1 AND id = $2",
            app,
            OccurrenceID(rawValue: target)
        )
        guard !others.isEmpty else { return }
        for (table, keys) in Self.countTables { try add(others, to: target, in: table, keys, app) }
        try addReach(of: others, to: target, app)
        for table in Self.tablesOfOccurrences { try deleteOccurrences(others, from: table, app) }
    }

    private func add(_ occurrences: [Int64], to target: Int64, in table: SQL, _ keys: SQL, _ app: AppID) throws {
        var insert = ComposedSQL()
        insert.append("INSERT INTO ")
        insert.append(table)
        insert.append(" (app_id, occurrence_id, ")
        insert.append(keys)
        insert.append(", slot, count) SELECT app_id, CAST(")
        insert.bind(.integer(target))
        insert.append(" AS BIGINT), ")
        insert.append(keys)
        insert.append(", 0, CAST(SUM(count) AS BIGINT) FROM ")
        insert.append(table)
        insert.append(" WHERE app_id = ")
        insert.bind(.app)
        insert.append(" AND occurrence_id IN (")
        insert.bind(list: occurrences.padded(to: Self.occurrenceLimit).map { .integer($0) })
        insert.append(") GROUP BY app_id, ")
        insert.append(keys)
        insert.append(" ON CONFLICT (app_id, occurrence_id, ")
        insert.append(keys)
        insert.append(", slot) DO UPDATE SET count = ")
        insert.append(table)
        insert.append(".count + excluded.count")
        try runComposed(insert, app)
    }

    /// A Campaign reached somebody when one of its Occurrences did.
    private func addReach(of occurrences: [Int64], to target: Int64, _ app: AppID) throws {
        var update = ComposedSQL()
        update.append("UPDATE occurrences SET has_begun = 1, reached_nobody = 0 WHERE app_id = ")
        update.bind(.app)
        update.append(" AND id = ")
        update.bind(.integer(target))
        update.append(" AND EXISTS (SELECT 1 FROM occurrences o WHERE o.app_id = ")
        update.bind(.app)
        update.append(" AND o.has_begun = 1 AND o.reached_nobody = 0 AND o.id IN (")
        update.bind(list: occurrences.padded(to: Self.occurrenceLimit).map { .integer($0) })
        update.append("))")
        try runComposed(update, app)
    }
}
