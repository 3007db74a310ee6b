import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension AppRepository {
    func setSendingPaused(_ id: AppID, since: Timestamp?, by actor: String?) async throws(StoreError) -> App? {
        try await database.write { connection in
            if let since {
                try connection.run(
                    """
                    UPDATE apps SET sending_paused_at = $1, sending_paused_by = $2
                    WHERE id = $3 AND sending_paused_at IS NULL
                    """,
                    since,
                    actor,
                    id
                )
            } else {
                try connection.run(
                    "UPDATE apps SET sending_paused_at = NULL, sending_paused_by = NULL WHERE id = $1",
                    id
                )
            }
            return try connection.apps.shownApp(id)
        }
    }
}

extension AppTable {
    /// Whether all sending of an App is paused.
    func isSendingPaused(_ id: AppID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM apps WHERE id = $1 AND sending_paused_at IS NOT NULL",
            id
        ) { _ in true } ?? false
    }
}
