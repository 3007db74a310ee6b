import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

// What is read of an Occurrence, its Campaign, its App and the App's key.

private enum OccurrenceFactsColumn: Int, SQLColumn {
    case campaignID, startedAt, retryUntil, slot, part, plannedAt, acceptedAt
}
private enum CampaignFactsColumn: Int, SQLColumn { case audience, message, isAd, channel, timing, content }
private enum AppFactsColumn: Int, SQLColumn { case dialect, adRule, tokenLifetime, sendingRules, payloadLimit }
private enum KeyFactsColumn: Int, SQLColumn { case confirmedAt }

extension OccurrenceFacts {
    /// Reads an Occurrence; `nil` when there is none.
    static func read(_ occurrence: OccurrenceID, app: AppID, _ connection: any SQLConnection) throws -> Self? {
        let facts = try connection.first(
            """
            SELECT \(OccurrenceFactsColumn.list(of: "o")), \(CampaignFactsColumn.list(of: "c")),
                \(AppFactsColumn.list(of: "a")), \(KeyFactsColumn.list(of: "k"))
            FROM occurrences o JOIN campaigns c ON c.app_id = $1 AND c.id = o.campaign_id
            JOIN apps a ON a.id = $1 LEFT JOIN push_keys k ON k.app_id = $1
            WHERE o.app_id = $1 AND o.id = $2
            """,
            app,
            occurrence
        ) { try OccurrenceFacts(occurrence, of: app, row: $0) }
        guard var facts, facts.message.badge != nil else { return facts }
        facts.countsBadges = try connection.badges.areCounted(of: app)
        return facts
    }

    private init(_ occurrence: OccurrenceID, of app: AppID, row: SQLRow<OccurrenceFactsColumn>) throws {
        let campaign = row.following(CampaignFactsColumn.self)
        let settings = campaign.following(AppFactsColumn.self)
        let content: JSONColumn<StoredContent>? = try campaign[.content]
        let payloadLimit: Int? = try settings[.payloadLimit]
        self.init(
            app: app,
            campaign: try row[.campaignID],
            occurrence: occurrence,
            audience: (try campaign[.audience] as JSONColumn).value,
            message: (try campaign[.message] as JSONColumn).value,
            isAd: try campaign[.isAd],
            channel: try campaign[.channel],
            dialect: try settings[.dialect],
            adRule: try settings[.adRule],
            content: ContentRules(content?.value, payloadLimit: payloadLimit),
            startedAt: try row[.startedAt],
            retryUntil: try row[.retryUntil]
        )
        oldestRegistration = startedAt.advanced(by: .seconds(-86_400 * (try settings[.tokenLifetime] as Int64)))
        rules = try OccurrenceRules(row, campaign, settings)
        isKeyConfirmed = try (settings.following(KeyFactsColumn.self)[.confirmedAt] as Timestamp?) != nil
    }
}

extension OccurrenceRules {
    /// A Campaign's timing, its App's rules and which firing it is.
    fileprivate init(
        _ firing: SQLRow<OccurrenceFactsColumn>,
        _ campaign: SQLRow<CampaignFactsColumn>,
        _ settings: SQLRow<AppFactsColumn>
    ) throws {
        self.init()
        plannedAt = try firing[.plannedAt]
        if let timing = (try campaign[.timing] as JSONColumn<CampaignTiming>?)?.value {
            validFor = timing.validFor.map { .seconds($0) }
            nightPolicy = timing.nightPolicy ?? .skip
            isTransactional = timing.isTransactional ?? false
            if case .groups(let count, _) = timing.pace {
                group = Group(index: try firing[.part], count: Int64(count))
            }
            if let schedule = timing.schedule, schedule.isLocal {
                local = LocalTime(
                    wall: WallTime(minutes: try firing[.slot]),
                    zone: schedule.zone,
                    acceptedAt: try firing[.acceptedAt],
                    movesPassed: schedule.passed == .nextDay
                )
            }
        }
        if let rules: JSONColumn<SendingRules> = try settings[.sendingRules] { app = rules.value }
    }
}
