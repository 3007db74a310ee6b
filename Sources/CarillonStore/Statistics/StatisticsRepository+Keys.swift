package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension StatisticsID: SQLBindable {}

extension StatisticsRepository {
    func insert(
        _ key: StatisticsKey,
        limit: Int,
        for request: IdempotentRequest<Void>?
    ) async throws(StoreError) -> Bool? {
        try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            try connection.lock(.app(key.app))
            let app = try connection.first("SELECT id FROM apps WHERE id = $1", key.app) { $0.int64(0) }
            guard app != nil else { return nil }
            let count = try connection.first("SELECT count(*) FROM statistics_ids WHERE app_id = $1", key.app) {
                $0.int(0)
            }
            guard count ?? 0 < limit else { return false }
            try connection.run(
                """
                INSERT INTO statistics_ids (app_id, id, name, description, starts_at, ends_at, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """,
                key.app,
                key.id,
                key.name,
                key.description,
                key.startsAt,
                key.endsAt,
                key.createdAt
            )
            try connection.idempotencyKeys.complete(request, ())
            return true
        }
    }

    func key(_ id: StatisticsID, within app: AppID?) async throws(StoreError) -> StatisticsKey? {
        try await database.read { connection in try connection.statistics.statisticsKey(id, within: app) }
    }

    func keys(app: AppID?, after id: StatisticsID?, limit: Int) async throws(StoreError) -> [StatisticsKey] {
        try await database.read { connection in
            guard let app else {
                return try connection.all(
                    """
                    SELECT app_id, id, name, description, starts_at, ends_at, created_at FROM statistics_ids
                    WHERE id > $1 ORDER BY id LIMIT $2
                    """,
                    id?.rawValue ?? -1,
                    limit,
                    read: StatisticsKey.read
                )
            }
            return try connection.all(
                """
                SELECT app_id, id, name, description, starts_at, ends_at, created_at FROM statistics_ids
                WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3
                """,
                app,
                id?.rawValue ?? -1,
                limit,
                read: StatisticsKey.read
            )
        }
    }

    func update(
        _ id: StatisticsID,
        within app: AppID?,
        _ request: StatisticsKeyRequest
    ) async throws(StoreError) -> StatisticsKey? {
        try await database.write { connection in
            guard let key = try connection.statistics.statisticsKey(id, within: app) else { return nil }
            try connection.run(
                """
                UPDATE statistics_ids SET name = $1, description = $2, starts_at = $3, ends_at = $4
                WHERE app_id = $5 AND id = $6
                """,
                request.name,
                request.description,
                request.startsAt,
                request.endsAt,
                key.app,
                id
            )
            return try connection.statistics.statisticsKey(id, within: key.app)
        }
    }

    func delete(_ id: StatisticsID, within app: AppID?) async throws(StoreError) -> Bool {
        try await database.write { connection in
            guard let key = try connection.statistics.statisticsKey(id, within: app) else { return false }
            try connection.run("DELETE FROM statistics_ids WHERE app_id = $1 AND id = $2", key.app, id)
            return true
        }
    }
}

extension CampaignRepository {
    package func hasStatisticsKey(_ id: StatisticsID, app: AppID) async throws(StoreError) -> Bool {
        try await database.read { connection in
            try connection.statistics.statisticsKey(id, within: app) != nil
        }
    }
}

extension StatisticsTable {
    fileprivate func statisticsKey(_ id: StatisticsID, within app: AppID?) throws -> StatisticsKey? {
        guard let app = try connection.apps.app(of: id, in: .statisticsIDs, within: app) else { return nil }
        return try connection.first(
            """
            SELECT app_id, id, name, description, starts_at, ends_at, created_at FROM statistics_ids
            WHERE app_id = $1 AND id = $2
            """,
            app,
            id,
            read: StatisticsKey.read
        )
    }

    /// Notes what a new Campaign's figures are gathered under.
    func saveStatisticsID(of campaign: Campaign) throws {
        guard let id = campaign.statisticsID else { return }
        try connection.run(
            "UPDATE campaigns SET statistics_id = $1 WHERE app_id = $2 AND id = $3",
            id,
            campaign.app,
            campaign.id
        )
    }
}

extension StatisticsKey {
    fileprivate static func read(_ row: any SQLStatement) -> StatisticsKey {
        let app = AppID(rawValue: row.int64(0))
        var request = StatisticsKeyRequest(app: app, name: row.string(2))
        request.description = row.optionalString(3)
        request.startsAt = row.optionalInt64(4).map(Timestamp.init(rawValue:))
        request.endsAt = row.optionalInt64(5).map(Timestamp.init(rawValue:))
        return StatisticsKey(
            id: StatisticsID(rawValue: row.int64(1)),
            app: app,
            request: request,
            createdAt: Timestamp(rawValue: row.int64(6))
        )
    }
}
