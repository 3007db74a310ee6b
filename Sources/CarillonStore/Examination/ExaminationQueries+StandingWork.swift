import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Work that has been due for long; each kind is found by the index by which dispatchers find it.
extension ExaminationQueries {
    func overdueCampaigns(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try connection.all(
            """
            SELECT app_id, id, next_at FROM campaigns
            WHERE next_at < $1 AND state IN ('scheduled', 'sending') ORDER BY next_at LIMIT $2
            """,
            past,
            ServerExamination.limit
        ) { ServerExamination.StandingWork(.campaign, $0) }
    }

    func overdueWaves(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try dueWork(.wave, in: "waves", at: "w.wake_at", before: past)
    }

    func freeChunks(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try dueWork(.freeChunk, in: "chunks", if: "w.owner IS NULL AND ", at: "w.free_at", before: past)
    }

    func abandonedChunks(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try connection.all(
            """
            SELECT k.app_id, k.campaign_id, s.seen_at FROM chunks k
            JOIN occurrences o ON o.app_id = k.app_id AND o.id = k.occurrence_id
            LEFT JOIN dispatcher_sessions s ON s.owner = k.owner
            WHERE k.owner IS NOT NULL AND (s.seen_at IS NULL OR s.seen_at < $1) AND o.started_at < $1
                AND o.state IN ('sending', 'cancelling')
            ORDER BY k.app_id, k.occurrence_id, k.chunk LIMIT $2
            """,
            past,
            ServerExamination.limit
        ) { ServerExamination.StandingWork(.heldChunk, $0) }
    }

    func waitingOutcomes(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try connection.all(
            "SELECT campaign_id, since FROM dispatcher_waits WHERE since < $1 ORDER BY since LIMIT $2",
            past,
            ServerExamination.limit
        ) {
            ServerExamination.StandingWork(
                kind: .outcomes,
                app: nil,
                campaign: CampaignID(rawValue: $0.int64(0)),
                since: Timestamp(rawValue: $0.int64(1))
            )
        }
    }

    /// Work of Occurrences that go on; it is not due before its Occurrence has begun.
    private func dueWork(
        _ kind: ServerExamination.StandingWork.Kind,
        in table: SQL,
        if condition: SQL = "",
        at due: SQL,
        before past: Timestamp
    ) throws -> [ServerExamination.StandingWork] {
        var select = ComposedSQL()
        let head: [SQL] = [
            "SELECT w.app_id, w.campaign_id, CASE WHEN (", due, " > o.started_at) THEN ", due,
            " ELSE o.started_at END FROM ", table,
            " w JOIN occurrences o ON o.app_id = w.app_id AND o.id = w.occurrence_id WHERE ", condition, due, " < ",
        ]
        for part in head { select.append(part) }
        select.bind(.through)
        select.append(" AND o.started_at < ")
        select.bind(.through)
        select.append(" AND o.state IN ('sending', 'cancelling') ORDER BY ")
        select.append(due)
        select.append(" LIMIT ")
        select.bind(.limit)
        let statement = try connection.prepare(select)
        select.bind(to: statement) { $0 == .through ? past.rawValue : Int64(ServerExamination.limit) }
        defer { statement.reset() }
        var found: [ServerExamination.StandingWork] = []
        while try statement.next() { found.append(.init(kind, statement)) }
        return found
    }
}

extension ServerExamination.StandingWork {
    fileprivate init(_ kind: Kind, _ row: any SQLStatement) {
        self.init(
            kind: kind,
            app: AppID(rawValue: row.int64(0)),
            campaign: CampaignID(rawValue: row.int64(1)),
            since: row.optionalInt64(2).map(Timestamp.init(rawValue:))
        )
    }
}
