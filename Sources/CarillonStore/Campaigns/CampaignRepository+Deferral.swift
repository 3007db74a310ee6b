package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func resumptions(
        of campaigns: [Campaign]
    ) async throws(StoreError) -> [CampaignID: Timestamp] {
        let sending = campaigns.filter { $0.state == .sending }
        guard !sending.isEmpty else { return [:] }
        return try await database.read { connection in
            var times: [CampaignID: Timestamp] = [:]
            for campaign in sending {
                times[campaign.id] = try connection.campaigns.resumption(of: campaign.id, nil, app: campaign.app)
            }
            return times
        }
    }
}

extension CampaignRepository {
    package func haltedCount() async throws(StoreError) -> Int {
        try await database.read { connection in
            let count = try connection.first(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM campaigns WHERE alarm IS NOT NULL AND state = 'paused' AND kind = 0
                        AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = campaigns.app_id) LIMIT 1001
                ) AS halted
                """,
                as: Int.self
            )
            return count ?? 0
        }
    }

    package func halted(app: AppID, limit: Int) async throws(StoreError) -> [Campaign] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(CampaignColumn.list) FROM campaigns
                WHERE app_id = $1 AND alarm IS NOT NULL AND state = 'paused' AND kind = 0 ORDER BY id DESC LIMIT $2
                """,
                app,
                limit,
                read: Campaign.init(row:)
            )
        }
    }
}

extension CampaignTable {
    /// When the work of a Campaign goes on, or of one of its Occurrences; `nil` while something of it is under way, is to
    /// be tried again, or nothing is left.
    func resumption(
        of campaign: CampaignID,
        _ occurrence: OccurrenceID?,
        app: AppID
    ) throws -> Timestamp? {
        let found = try connection.first(
            """
            SELECT MIN(CASE WHEN w.is_read = 0 THEN w.due_at END), MAX(CASE WHEN
                EXISTS (SELECT 1 FROM chunks k WHERE k.app_id = $1 AND k.occurrence_id = o.id)
                OR EXISTS (SELECT 1 FROM retries r WHERE r.app_id = $1 AND r.occurrence_id = o.id)
                THEN 1 ELSE 0 END)
            FROM occurrences o JOIN waves w ON w.app_id = $1 AND w.occurrence_id = o.id
            WHERE o.app_id = $1 AND o.campaign_id = $2 AND o.id >= $3 AND o.id <= $4 AND o.state = 'sending'
            """,
            app,
            campaign,
            occurrence?.rawValue ?? 0,
            occurrence?.rawValue ?? .max,
            as: (Timestamp?, Bool).self
        )
        guard let (time, isBusy) = found, !isBusy else { return nil }
        return time
    }

    /// Counts Devices that match an Occurrence; its first Wave looks at all Devices, later ones at all again.
    func countMatched(
        _ count: Int,
        in wave: Int64,
        of occurrence: OccurrenceID,
        app: AppID
    ) throws {
        guard count > 0 else { return }
        try connection.run(
            """
            UPDATE occurrences SET matched = matched + $1
            WHERE app_id = $2 AND id = $3 AND (planned_at = $4 OR CAST($4 AS BIGINT) = 1)
            """,
            count,
            app,
            occurrence,
            wave
        )
    }

    /// About how many Devices that match an Occurrence's first Wave has not looked at.
    ///
    /// It takes them to be as many among the numbers to come as among those that were looked at. Before the first look it
    /// is all Devices of the App up to ten thousand, then all numbers.
    func unread(of occurrence: OccurrenceID, _ audience: Audience, app: AppID) throws -> Int {
        let found = try connection.first(
            """
            SELECT w.cursor, o.matched, o.last_device FROM waves w
            JOIN occurrences o ON o.app_id = $1 AND o.id = w.occurrence_id
            WHERE w.app_id = $1 AND w.occurrence_id = $2 AND w.is_read = 0 AND (w.wave = 1 OR w.wave = o.planned_at)
            ORDER BY w.wave LIMIT 1
            """,
            app,
            occurrence,
            as: (Int, Int, Int).self
        )
        guard let (cursor, matched, last) = found, last > cursor else { return 0 }
        let rest = last - cursor
        if cursor > 0 { return Int((Double(rest) * Double(matched) / Double(cursor)).rounded()) }
        if case .devices(let devices) = audience { return min(rest, devices.count) }
        let some =
            try connection.first(
                "SELECT count(*) FROM (SELECT 1 FROM devices WHERE app_id = $1 LIMIT 10001) AS listed",
                app,
                as: Int.self
            ) ?? 0
        return some > 10_000 ? rest : min(rest, some)
    }

    /// About how many Devices wait for their time: in their own zone, for the end of a night or of quiet hours.
    ///
    /// They match the first Wave, have no outcome and are not tried again, and a later Wave is still to come. Those that
    /// are being sent to at the moment are among them.
    func deferredCount(
        of campaign: CampaignID,
        _ occurrence: OccurrenceID?,
        app: AppID
    ) throws -> Int {
        let waiting = try connection.all(
            """
            SELECT o.id, o.matched FROM occurrences o
            WHERE o.app_id = $1 AND o.campaign_id = $2 AND o.id >= $3 AND o.id <= $4 AND o.matched > 0
                AND EXISTS (SELECT 1 FROM waves w WHERE w.app_id = $1 AND w.occurrence_id = o.id AND w.is_read = 0
                    AND w.wave <> 1 AND w.wave <> o.planned_at)
            ORDER BY o.id DESC LIMIT 100
            """,
            app,
            campaign,
            occurrence?.rawValue ?? 0,
            occurrence?.rawValue ?? .max,
            as: (OccurrenceID, Int).self
        )
        var count = 0
        for (occurrence, matched) in waiting {
            let decided = try connection.first(
                "SELECT CAST(SUM(count) AS BIGINT) FROM delivery_counts WHERE app_id = $1 AND occurrence_id = $2",
                app,
                occurrence,
                as: Int?.self
            )
            count += max(0, matched - (decided.flatMap(\.self) ?? 0))
        }
        return count
    }
}
