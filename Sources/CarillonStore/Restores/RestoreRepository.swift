import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The mark of a restored store in SQL.
struct RestoreRepository: RestoreStore {
    let database: any Database

    func restoredBackup() async throws(StoreError) -> Timestamp? {
        try await database.read { connection in
            try connection.first(
                "SELECT backup_at FROM restore_marks ORDER BY backup_at LIMIT 1",
                as: Timestamp.self
            )
        }
    }

    func markRestored(from time: Timestamp) async throws(StoreError) {
        try await database.write { connection in
            _ = try connection.run(
                "INSERT INTO restore_marks (backup_at) VALUES ($1) ON CONFLICT (backup_at) DO NOTHING",
                time
            )
        }
    }

    func pauseDue(
        at now: Timestamp,
        alarm: FailureReason,
        limit: Int
    ) async throws(StoreError) -> [HeldCampaign] {
        try await database.write { connection in
            let held = try connection.restores.dueCampaigns(at: now, limit: limit)
            try connection.lock(Set(held.map { WriteLock.campaign($0.campaign) }))
            try connection.restores.endHolds(at: now)
            for campaign in held {
                try connection.campaigns.pause(campaign.campaign, app: campaign.app, alarm: alarm.rawValue, at: now)
            }
            return held
        }
    }

    func clearRestoreMarks() async throws(StoreError) {
        try await database.write { connection in
            try connection.lock(.operators)
            // Those that ended or were used since the backup would be valid again.
            try connection.run("DELETE FROM operator_sessions")
            try connection.run("DELETE FROM operator_links")
            _ = try connection.run("DELETE FROM restore_marks")
        }
    }
}

private enum DueCampaignColumn: Int, SQLColumn { case appID, id, name, nextAt }

extension RestoreTable {
    /// Puts Campaigns back to draft whose hold has ended since the backup: they may have been sent.
    fileprivate func endHolds(at now: Timestamp) throws {
        try connection.run(
            "UPDATE campaigns SET state = 'draft', next_at = NULL WHERE state = 'held' AND next_at <= $1",
            now
        )
    }

    /// Campaigns that would send: a firing is due, or an Occurrence is under way.
    ///
    /// Whatever is under way has a Wave.
    fileprivate func dueCampaigns(at now: Timestamp, limit: Int) throws -> [HeldCampaign] {
        try connection.all(
            """
            SELECT \(DueCampaignColumn.list(of: "c")) FROM campaigns c
            WHERE c.state IN ('scheduled', 'sending') AND (c.next_at <= $1 OR (c.app_id, c.id) IN (
                SELECT w.app_id, w.campaign_id FROM waves w
                JOIN occurrences o ON o.app_id = w.app_id AND o.id = w.occurrence_id
                WHERE o.state = 'sending'))
            ORDER BY c.app_id, c.id LIMIT $2
            """,
            now,
            limit
        ) { (row: SQLRow<DueCampaignColumn>) in
            let next: Timestamp? = try row[.nextAt]
            return HeldCampaign(
                app: try row[.appID],
                campaign: try row[.id],
                name: try row[.name],
                dueAt: next.flatMap { $0 <= now ? $0 : nil }
            )
        }
    }
}
