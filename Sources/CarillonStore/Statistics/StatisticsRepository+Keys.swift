package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension StatisticsID: SQLBindable, SQLReadable {}

private enum StatisticsKeyColumn: Int, SQLColumn { case appID, id, name, description, startsAt, endsAt, createdAt }

extension StatisticsRepository {
    func insert(
        _ key: StatisticsKey,
        limit: Int,
        for request: IdempotentRequest<Void>?
    ) async throws(StoreError) -> Bool? {
        try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            try connection.lock(.app(key.app))
            let app = try connection.first("SELECT id FROM apps WHERE id = $1", key.app, as: AppID.self)
            guard app != nil else { return nil }
            let count = try connection.first(
                "SELECT count(*) FROM statistics_ids WHERE app_id = $1",
                key.app,
                as: Int.self
            )
            guard count ?? 0 < limit else { return false }
            try connection.run(
                "INSERT INTO statistics_ids (\(StatisticsKeyColumn.list)) VALUES (\(StatisticsKeyColumn.parameters))"
            ) { (row: SQLParameters<StatisticsKeyColumn>) in
                row.bind(key.app, to: .appID)
                row.bind(key.id, to: .id)
                row.bind(key.name, to: .name)
                row.bind(key.description, to: .description)
                row.bind(key.startsAt, to: .startsAt)
                row.bind(key.endsAt, to: .endsAt)
                row.bind(key.createdAt, to: .createdAt)
            }
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
                    SELECT \(StatisticsKeyColumn.list) FROM statistics_ids WHERE id > $1
                        AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = statistics_ids.app_id)
                    ORDER BY id LIMIT $2
                    """,
                    id?.rawValue ?? -1,
                    limit,
                    read: StatisticsKey.init(row:)
                )
            }
            return try connection.all(
                "SELECT \(StatisticsKeyColumn.list) FROM statistics_ids WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3",
                app,
                id?.rawValue ?? -1,
                limit,
                read: StatisticsKey.init(row:)
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
            "SELECT \(StatisticsKeyColumn.list) FROM statistics_ids WHERE app_id = $1 AND id = $2",
            app,
            id,
            read: StatisticsKey.init(row:)
        )
    }

    /// Notes what a new Campaign's figures are gathered under.
    func saveStatisticsID(of campaign: Campaign) throws {
        try connection.run(
            "UPDATE campaigns SET statistics_id = $1 WHERE app_id = $2 AND id = $3",
            campaign.statisticsID,
            campaign.app,
            campaign.id
        )
    }
}

extension StatisticsKey {
    fileprivate init(row: SQLRow<StatisticsKeyColumn>) throws {
        var request = StatisticsKeyRequest(name: try row[.name])
        request.description = try row[.description]
        request.startsAt = try row[.startsAt]
        request.endsAt = try row[.endsAt]
        self.init(id: try row[.id], app: try row[.appID], request: request, createdAt: try row[.createdAt])
    }
}
