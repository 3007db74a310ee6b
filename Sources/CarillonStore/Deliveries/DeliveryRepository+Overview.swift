package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension DeliveryRepository {
    package func overview(at now: Timestamp, from cursor: WorkCursor) async throws(StoreError) -> DispatchOverview {
        try await database.read { [limits = overviewLimits] connection in
            var overview = DispatchOverview()
            let campaigns = try connection.chunks.dueCampaigns(at: now, after: cursor.campaign, limit: limits.campaigns)
            overview.dueCampaigns = campaigns
            if campaigns.count == limits.campaigns { overview.moreCampaigns = campaigns.last }
            overview.nextWake = try connection.chunks.nextWake(after: now)
            let held = try connection.chunks.heldChunks(after: cursor.chunk, limit: limits.chunks)
            overview.chunks = try connection.chunks.returnedChunks(at: now, limit: limits.chunks) + held
            if held.count == limits.chunks { overview.moreChunks = held.last?.lease.chunk }
            // Usually they are few and all of them are seen.
            overview.waves = try connection.chunks.wakingWaves(at: now, limit: limits.waves + 1)
            if overview.waves.count > limits.waves {
                overview.isByApp = true
                (overview.waves, overview.moreApps) = try connection.chunks.wavesByApp(at: now, from: cursor, limits)
            }
            return overview
        }
    }

    package func wave(_ wave: OpenWave, at now: Timestamp) async throws(StoreError) -> OpenWave? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT \(OpenWaveColumn.list(of: "w")) FROM waves w
                JOIN occurrences o ON o.app_id = $1 AND o.id = w.occurrence_id
                WHERE w.app_id = $1 AND w.occurrence_id = $2 AND w.wave = $3 AND w.wake_at <= $4
                    AND o.state IN ('sending', 'cancelling')
                    AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = w.app_id)
                    AND (o.state = 'cancelling' OR NOT EXISTS (
                        SELECT 1 FROM apps p WHERE p.id = w.app_id AND p.sending_paused_at IS NOT NULL))
                """,
                wave.app,
                wave.occurrence,
                wave.wave,
                now,
                read: OpenWave.init(row:)
            )
        }
    }
}

/// How much one look at the work sees of each kind.
package struct OverviewLimits: Hashable, Sendable {
    /// Scheduled Campaigns that are due.
    package var campaigns = 100
    /// Chunks that were given back, and as many that are held.
    package var chunks = 500
    /// Waves of whatever Apps; where there are more, they are seen App by App.
    package var waves = 64
    /// Apps whose Waves are seen then.
    package var apps = 8
    /// Apps that are passed to find those.
    package var passedApps = 256
    /// Waves of each of those Apps.
    package var wavesPerApp = 8

    package init() {}
}

extension ChunkTable {
    fileprivate func dueCampaigns(
        at now: Timestamp,
        after last: DueCampaign?,
        limit: Int
    ) throws -> [DueCampaign] {
        let rows = try connection.all(
            """
            SELECT app_id, id, next_at FROM campaigns
            WHERE next_at <= $1 AND (next_at, id) > ($2, $3)
                AND state IN ('scheduled', 'sending', 'held', 'needsApproval')
                AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = campaigns.app_id)
                AND NOT EXISTS (SELECT 1 FROM apps p WHERE p.id = campaigns.app_id AND p.sending_paused_at IS NOT NULL)
            ORDER BY next_at, id LIMIT $4
            """,
            now,
            last?.dueAt ?? Timestamp(rawValue: .min),
            last?.campaign ?? CampaignID(rawValue: .min),
            limit,
            as: (AppID, CampaignID, Timestamp).self
        )
        return rows.map { app, campaign, dueAt in DueCampaign(campaign: campaign, app: app, dueAt: dueAt) }
    }

    fileprivate func nextWake(after now: Timestamp) throws -> Timestamp? {
        let campaign = try connection.first(
            """
            SELECT next_at FROM campaigns
            WHERE next_at > $1 AND state IN ('scheduled', 'sending', 'held', 'needsApproval')
            ORDER BY next_at LIMIT 1
            """,
            now,
            as: Timestamp.self
        )
        let wave = try connection.first(
            "SELECT wake_at FROM waves WHERE wake_at > $1 ORDER BY wake_at LIMIT 1",
            now,
            as: Timestamp.self
        )
        let chunk = try connection.first(
            "SELECT free_at FROM chunks WHERE owner IS NULL AND free_at > $1 AND free_at < $2 ORDER BY free_at LIMIT 1",
            now,
            Timestamp.never,
            as: Timestamp.self
        )
        return [campaign, wave, chunk].compactMap(\.self).min()
    }

    /// Chunks that were given back and whose time has come, in the order of their times.
    fileprivate func returnedChunks(at now: Timestamp, limit: Int) throws -> [OpenChunk] {
        try connection.all(
            """
            SELECT \(ChunkColumn.list(of: "k")), \(ChunkWorkColumn.list(through: .failures)), k.owner, 0
            FROM chunks k JOIN occurrences o ON o.app_id = k.app_id AND o.id = k.occurrence_id
            WHERE k.owner IS NULL AND k.free_at <= $1 AND o.state IN ('sending', 'cancelling')
                AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = k.app_id)
                AND (o.state = 'cancelling' OR NOT EXISTS (
                    SELECT 1 FROM apps p WHERE p.id = k.app_id AND p.sending_paused_at IS NOT NULL))
            ORDER BY k.free_at LIMIT $2
            """,
            now,
            limit,
            read: OpenChunk.init(row:)
        )
    }

    /// Chunks that somebody has, in the order of their keys: a page of them, so that those of a dispatcher that is gone
    /// are found however many there are.
    fileprivate func heldChunks(after last: ChunkKey?, limit: Int) throws -> [OpenChunk] {
        try connection.all(
            """
            SELECT \(ChunkColumn.list(of: "k")), \(ChunkWorkColumn.list)
            FROM chunks k JOIN occurrences o ON o.app_id = k.app_id AND o.id = k.occurrence_id
            LEFT JOIN dispatcher_sessions s ON s.owner = k.owner
            WHERE (k.app_id, k.occurrence_id, k.chunk) > ($1, $2, $3) AND k.owner IS NOT NULL
                AND o.state IN ('sending', 'cancelling')
                AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = k.app_id)
                AND (o.state = 'cancelling' OR NOT EXISTS (
                    SELECT 1 FROM apps p WHERE p.id = k.app_id AND p.sending_paused_at IS NOT NULL))
            ORDER BY k.app_id, k.occurrence_id, k.chunk LIMIT $4
            """,
            last?.app ?? AppID(rawValue: .min),
            last?.occurrence ?? OccurrenceID(rawValue: .min),
            last?.number ?? .min,
            limit,
            read: OpenChunk.init(row:)
        )
    }

    fileprivate func wakingWaves(at now: Timestamp, limit: Int) throws -> [OpenWave] {
        try connection.all(
            """
            SELECT \(OpenWaveColumn.list(of: "w")) FROM waves w
            JOIN occurrences o ON o.app_id = w.app_id AND o.id = w.occurrence_id
            WHERE w.wake_at <= $1 AND o.state IN ('sending', 'cancelling')
                AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = w.app_id)
                AND (o.state = 'cancelling' OR NOT EXISTS (
                    SELECT 1 FROM apps p WHERE p.id = w.app_id AND p.sending_paused_at IS NOT NULL))
            ORDER BY w.wake_at LIMIT $2
            """,
            now,
            limit,
            read: OpenWave.init(row:)
        )
    }

    /// Waves of the next few Apps that have some, and the last App that was passed; `nil` when it was the last of all.
    fileprivate func wavesByApp(
        at now: Timestamp,
        from cursor: WorkCursor,
        _ limits: OverviewLimits
    ) throws -> ([OpenWave], AppID?) {
        let passed = try connection.all(
            """
            WITH RECURSIVE passed (app_id, place) AS (
                SELECT (SELECT w.app_id FROM waves w WHERE w.wake_at IS NOT NULL AND w.app_id > $1
                    ORDER BY w.app_id LIMIT 1), 1
                UNION ALL
                SELECT (SELECT w.app_id FROM waves w WHERE w.wake_at IS NOT NULL AND w.app_id > p.app_id
                    ORDER BY w.app_id LIMIT 1), p.place + 1
                FROM passed p WHERE p.app_id IS NOT NULL AND p.place < $2
            )
            SELECT p.app_id, (SELECT MIN(w.wake_at) FROM waves w WHERE w.app_id = p.app_id AND w.wake_at IS NOT NULL)
            FROM passed p WHERE p.app_id IS NOT NULL ORDER BY p.place LIMIT $2
            """,
            cursor.app ?? AppID(rawValue: .min),
            limits.passedApps,
            as: (AppID, Timestamp).self
        )
        var waves: [OpenWave] = []
        var found = 0
        for (app, wakeAt) in passed where wakeAt <= now {
            waves += try connection.chunks.waves(of: app, at: now, after: cursor.waves[app], limit: limits.wavesPerApp)
            found += 1
            if found == limits.apps { return (waves, app) }
        }
        return (waves, passed.count == limits.passedApps ? passed.last?.0 : nil)
    }

    /// An App's Waves from a place on, and from the first one on again.
    private func waves(
        of app: AppID,
        at now: Timestamp,
        after last: WavePosition?,
        limit: Int
    ) throws -> [OpenWave] {
        let start = WavePosition(wakeAt: Timestamp(rawValue: .min), occurrence: OccurrenceID(rawValue: .min))
        let waves = try connection.chunks.waves(of: app, at: now, behind: last ?? start, limit: limit)
        guard let last, waves.count < limit else { return waves }
        let first = try connection.chunks.waves(of: app, at: now, behind: start, limit: limit - waves.count)
        return waves + first.filter { $0.position <= last }
    }

    private func waves(
        of app: AppID,
        at now: Timestamp,
        behind last: WavePosition,
        limit: Int
    ) throws -> [OpenWave] {
        try connection.all(
            """
            SELECT \(OpenWaveColumn.list(of: "w")) FROM waves w
            JOIN occurrences o ON o.app_id = $1 AND o.id = w.occurrence_id
            WHERE w.app_id = $1 AND w.wake_at <= $2 AND (w.wake_at, w.occurrence_id) > ($3, $4)
                AND o.state IN ('sending', 'cancelling')
                AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = w.app_id)
                AND (o.state = 'cancelling' OR NOT EXISTS (
                    SELECT 1 FROM apps p WHERE p.id = w.app_id AND p.sending_paused_at IS NOT NULL))
            ORDER BY w.wake_at, w.occurrence_id LIMIT $5
            """,
            app,
            now,
            last.wakeAt,
            last.occurrence,
            limit,
            read: OpenWave.init(row:)
        )
    }
}
