import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

private enum DeletionColumn: Int, SQLColumn { case id, deletedAt, finishedAt }

/// Deletion of Apps in SQL.
struct AppDeletionRepository: AppDeletionStore {
    let database: any Database

    func delete(_ app: AppID, at now: Timestamp) async throws(StoreError) -> [CampaignID]? {
        try await database.write { connection in
            guard try connection.run("DELETE FROM apps WHERE id = $1", app) == 1 else { return nil }
            try connection.run("INSERT INTO deleted_apps (id, deleted_at) VALUES ($1, $2)", app, now)
            try connection.apps.deleteSecrets(of: app)
            return try connection.all(
                "SELECT DISTINCT campaign_id FROM waves WHERE app_id = $1 LIMIT 1000",
                app,
                as: CampaignID.self
            )
        }
    }

    func isDeleted(_ app: AppID) async throws(StoreError) -> Bool {
        try await database.read { connection in try connection.apps.isDeleted(app) }
    }

    func deletions(finishedAfter time: Timestamp, limit: Int) async throws(StoreError) -> [AppDeletion] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(DeletionColumn.list) FROM deleted_apps WHERE finished_at IS NULL OR finished_at > $1
                ORDER BY deleted_at, id LIMIT $2
                """,
                time,
                limit
            ) { (row: SQLRow<DeletionColumn>) in
                AppDeletion(app: try row[.id], deletedAt: try row[.deletedAt], finishedAt: try row[.finishedAt])
            }
        }
    }

    func removeSome(
        of app: AppID,
        after position: AppRowsPosition,
        onlyWork: Bool
    ) async throws(StoreError) -> (count: Int, next: AppRowsPosition?) {
        try await database.write(priority: .bulk) { connection in
            // A mistake here would be nobody's to mend.
            guard try connection.apps.isDeleted(app) else { throw StoreError.failed("The App \(app) is not deleted.") }
            try connection.retention.preferIndexes()
            var position = position
            while position.table < AppRows.all.count, AppRows.all[position.table].isWork || !onlyWork {
                let places = try connection.contentSets.removePlaces(of: app, before: AppRows.all[position.table])
                if places > 0 { return (places, position) }
                let (count, last) = try connection.apps.remove(
                    AppRows.all[position.table],
                    of: app,
                    after: position.key
                )
                let next = last.map { AppRowsPosition(table: position.table, key: $0) }
                position = next ?? AppRowsPosition(table: position.table + 1)
                if count > 0 { return (count, position) }
            }
            return (0, nil)
        }
    }

    func hasRows(of app: AppID) async throws(StoreError) -> Bool {
        try await database.read { connection in
            for rows in AppRows.all {
                let statement = try connection.prepare(rows.hasRows)
                defer { statement.reset() }
                statement.bind(app.rawValue, at: 1)
                if try statement.next() { return true }
            }
            return false
        }
    }

    func finish(_ app: AppID, at now: Timestamp) async throws(StoreError) {
        _ = try await database.write(priority: .bulk) { connection in
            try connection.run(
                "UPDATE deleted_apps SET finished_at = $1 WHERE id = $2 AND finished_at IS NULL",
                now,
                app
            )
        }
    }
}

extension AppTable {
    func isDeleted(_ app: AppID) throws -> Bool {
        try connection.first("SELECT 1 FROM deleted_apps WHERE id = $1", app) { _ in true } ?? false
    }

    /// Deletes an App's keys and all that the vault sealed for it; a provider token stays while another App has its key.
    fileprivate func deleteSecrets(of app: AppID) throws {
        let key = try connection.first(
            "SELECT team_id, key_id FROM push_keys WHERE app_id = $1",
            app,
            as: (String, String).self
        )
        let statements: [SQL] = [
            "DELETE FROM push_keys WHERE app_id = $1", "DELETE FROM app_secrets WHERE app_id = $1",
            "DELETE FROM former_app_secrets WHERE app_id = $1", "DELETE FROM user_message_rules WHERE app_id = $1",
            "DELETE FROM webhooks WHERE app_id = $1", "DELETE FROM api_keys WHERE app_id = $1",
            "DELETE FROM vendor_apis WHERE app_id = $1", "DELETE FROM vendor_app_codes WHERE app_id = $1",
            "DELETE FROM content_sources WHERE app_id = $1",
        ]
        for statement in statements { try connection.run(statement, app) }
        guard let (team, id) = key else { return }
        try connection.run(
            """
            DELETE FROM provider_tokens WHERE team_id = $1 AND key_id = $2
                AND NOT EXISTS (SELECT 1 FROM push_keys k WHERE k.team_id = $1 AND k.key_id = $2)
            """,
            team,
            id
        )
    }

    /// Removes some rows of a table.
    ///
    /// - Returns: The number of removed rows, and the key of the last one; `nil` when none is left.
    fileprivate func remove(
        _ rows: AppRows,
        of app: AppID,
        after key: [AppRowsPosition.Value]
    ) throws -> (count: Int, last: [AppRowsPosition.Value]?) {
        let last = rows.key.isEmpty ? nil : try lastOfStep(rows, app, key)
        let statement = try connection.prepare(rows.delete(isFirst: key.isEmpty, isLast: last == nil))
        statement.bind(app.rawValue, at: 1)
        for (place, value) in (key + (last ?? [])).enumerated() { value.bind(to: statement, at: place + 2) }
        try statement.run()
        return (connection.changedRowCount, last)
    }

    private func lastOfStep(
        _ rows: AppRows,
        _ app: AppID,
        _ key: [AppRowsPosition.Value]
    ) throws -> [AppRowsPosition.Value]? {
        let statement = try connection.prepare(rows.lastOfStep(isFirst: key.isEmpty))
        defer { statement.reset() }
        statement.bind(app.rawValue, at: 1)
        for (place, value) in key.enumerated() { value.bind(to: statement, at: place + 2) }
        guard try statement.next() else { return nil }
        return rows.key.enumerated().map { place, column in
            switch column.kind {
            case .integer: .integer(statement.int64(place))
            case .text: .text(statement.string(place))
            case .bytes: .bytes(Array(statement.bytes(place)))
            }
        }
    }
}
