package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL

/// The dispatchers' work and its outcomes in SQL.
///
/// A Chunk names its owner: the session of the dispatcher that leased it. On SQLite, whose file one process has open, a
/// session that another process began is a former process's.
package struct DeliveryRepository: WorkStore, OutcomeStore, SessionStore {
    let database: any Database
    let zones = ZoneNights()
    /// The process, which makes this value once.
    let process: Int64
    /// What one reading may cost; see ``AudienceReading``.
    let readingBudget: Int
    /// How much one look at the work sees.
    let overviewLimits: OverviewLimits

    /// Joins a database.
    ///
    /// - Parameters:
    ///   - database: Where the tables are.
    ///   - process: Tells this process's sessions from others'.
    ///   - readingBudget: How many Devices are looked at for one Chunk, roughly, so that a read stays short.
    ///   - overviewLimits: How much one look at the work sees.
    package init(
        database: any Database,
        process: Int64 = .random(in: 1 ... .max),
        readingBudget: Int = AudienceReading.usualBudget,
        overviewLimits: OverviewLimits = OverviewLimits()
    ) {
        self.database = database
        self.process = process
        self.readingBudget = readingBudget
        self.overviewLimits = overviewLimits
    }

    package func planned(_ campaign: CampaignID, of app: AppID) async throws(StoreError) -> PlannedCampaign? {
        try await database.read { connection in try connection.campaigns.planned(campaign, within: app) }
    }

    package func move(_ move: GuardedMove, at now: Timestamp) async throws(StoreError) -> CampaignChange? {
        try await CampaignRepository(database: database).move(move, at: now)
    }

    package func start(
        _ planned: PlannedCampaign,
        _ step: FiringStep,
        as occurrences: [OccurrenceID],
        at now: Timestamp
    ) async throws(StoreError) {
        let campaign = planned.campaign
        try await database.write(priority: .bulk) { connection in
            try connection.lock(.campaign(campaign.id))
            // Whoever comes second finds another firing to be next.
            let advanced = try connection.run(
                """
                UPDATE campaigns SET next_at = $1, next_slot = $2, next_part = $3
                WHERE app_id = $4 AND id = $5 AND next_slot = $6 AND next_part = $7 AND next_at = $8
                    AND state IN ('scheduled', 'sending')
                    AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = campaigns.app_id)
                """,
                step.next?.dueAt,
                step.next?.slot,
                step.next?.part,
                campaign.app,
                campaign.id,
                planned.next?.slot,
                planned.next?.part,
                planned.next?.dueAt
            )
            guard advanced == 1 else { return }
            if let late = step.late {
                let alarm = FailureReason.late(late.dueAt).rawValue
                return try connection.campaigns.pause(campaign.id, app: campaign.app, alarm: alarm, at: now)
            }
            for (missed, occurrence) in zip(step.missed, occurrences) {
                try connection.occurrences.giveUp(
                    missed,
                    of: campaign.id,
                    app: campaign.app,
                    as: occurrence,
                    state: .missed,
                    at: now
                )
            }
            if let firing = step.begin, let occurrence = occurrences.last {
                try connection.occurrences.begin(firing, of: campaign.id, app: campaign.app, as: occurrence, at: now)
            }
            try connection.occurrences.updateState(of: campaign.id, app: campaign.app, at: now)
        }
    }

    package func facts(of occurrence: OccurrenceID, app: AppID) async throws(StoreError) -> OccurrenceFacts? {
        try await database.read { connection in try OccurrenceFacts.read(occurrence, app: app, connection) }
    }
}
