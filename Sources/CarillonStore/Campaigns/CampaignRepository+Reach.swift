package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func largestReach(of app: AppID, since first: OccurrenceID) async throws(StoreError) -> Int? {
        try await database.read { connection in
            let matched =
                try connection.all(
                    """
                    SELECT COALESCE(MAX(x.matched), 0) FROM (
                        SELECT matched FROM occurrences WHERE app_id = $1 AND id >= $2 ORDER BY id DESC LIMIT 10000) x
                    LIMIT 1
                    """,
                    app,
                    first,
                    as: Int.self
                ).first ?? 0
            return matched > 0 ? matched : nil
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
