package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func latest(app: AppID, limit: Int) async throws(StoreError) -> [Campaign] {
        // 500 lists of 10,000 ids are a hundred megabytes.
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(CampaignColumn.list) FROM (
                    SELECT app_id, id, name, state, alarm, message, is_ad, send_at, created_at, occurrence_id, started_at,
                        finished_at, channel, statistics_id, timing, next_at, updated_at, reached_nobody, content,
                        retry_for, version, guards,
                        CASE WHEN LENGTH(audience) > 16384 THEN '{"redacted":true}' ELSE audience END AS audience
                    FROM campaigns WHERE app_id = $1 AND kind = 0 AND is_test = 0 ORDER BY id DESC LIMIT $2) x
                ORDER BY id DESC LIMIT $2
                """,
                app,
                limit,
                read: Campaign.init(row:)
            )
        }
    }

    package func largestReach(of app: AppID, since first: OccurrenceID) async throws(StoreError) -> Int? {
        try await database.read { connection in
            // Who was skipped was matched and not reached. A hundred of the most matched are enough to find the largest.
            let reached =
                try connection.all(
                    """
                    SELECT CAST(COALESCE(MAX(y.matched - COALESCE((
                        SELECT SUM(n.count) FROM delivery_counts n
                        WHERE n.app_id = $1 AND n.occurrence_id = y.id AND n.outcome = $2), 0)), 0) AS BIGINT)
                    FROM (SELECT x.id, x.matched FROM (
                        SELECT id, matched FROM occurrences WHERE app_id = $1 AND id >= $3
                        ORDER BY id DESC LIMIT 10000) x ORDER BY x.matched DESC LIMIT 100) y
                    LIMIT 1
                    """,
                    app,
                    Delivery.Outcome.skipped,
                    first,
                    as: Int.self
                ).first ?? 0
            return reached > 0 ? reached : nil
        }
    }

    package func testMessages(of app: AppID, since first: CampaignID) async throws(StoreError) -> [Message] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT x.message FROM (
                    SELECT id, message, is_test FROM campaigns WHERE app_id = $1 AND id >= $2
                    ORDER BY id DESC LIMIT 2000) x
                WHERE x.is_test = 1 ORDER BY x.id DESC LIMIT 100
                """,
                app,
                first,
                as: JSONColumn<Message>.self
            ).map(\.value)
        }
    }
}
