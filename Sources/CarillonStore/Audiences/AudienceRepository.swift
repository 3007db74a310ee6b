package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL

extension AudienceID: SQLBindable, SQLReadable {}

/// Saved Audiences in SQL.
package struct AudienceRepository: AudienceStore {
    let database: any Database
    /// What an estimate may cost; see ``AudienceReading``.
    let budget: Int
    /// How many drafts are named that keep one from being deleted.
    private static let namedDrafts = 10

    /// Joins a database.
    ///
    /// - Parameters:
    ///   - database: Where the tables are.
    ///   - budget: How many Devices an estimate looks at, roughly.
    package init(database: any Database, budget: Int = 2 * AudienceReading.usualBudget) {
        self.database = database
        self.budget = budget
    }

    package func insert(
        _ audience: SavedAudience,
        limit: Int,
        for request: IdempotentRequest<SavedAudience>?
    ) async throws(StoreError) -> AudienceChange {
        try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            // Names and their number: one transaction at a time for an App.
            try connection.lock(.app(audience.app))
            let app = try connection.first("SELECT id FROM apps WHERE id = $1", audience.app, as: AppID.self)
            guard app != nil else { return .missing }
            let sql: SQL = "SELECT count(*) FROM audiences WHERE app_id = $1"
            let count = try connection.first(sql, audience.app, as: Int.self)
            guard count ?? 0 < limit else { return .full }
            let rows = try connection.run(
                """
                INSERT INTO audiences (\(AudienceColumn.list)) VALUES (\(AudienceColumn.parameters))
                ON CONFLICT DO NOTHING
                """,
                bind: audience.bind(to:)
            )
            guard rows > 0 else { return .nameTaken }
            try connection.idempotencyKeys.complete(request, audience)
            return .kept(audience)
        }
    }

    package func savedAudience(_ id: AudienceID, within app: AppID?) async throws(StoreError) -> SavedAudience? {
        try await database.read { connection in
            try connection.audiences.savedAudience(id, within: app)
        }
    }

    package func audiences(
        app: AppID?,
        after id: AudienceID?,
        limit: Int
    ) async throws(StoreError) -> [SavedAudience] {
        try await database.read { connection in
            guard let app else {
                return try connection.all(
                    """
                    SELECT \(AudienceColumn.list) FROM audiences WHERE id > $1
                        AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = audiences.app_id)
                    ORDER BY id LIMIT $2
                    """,
                    id?.rawValue ?? -1,
                    limit,
                    read: SavedAudience.init(row:)
                )
            }
            return try connection.all(
                """
                SELECT \(AudienceColumn.list) FROM audiences WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3
                """,
                app,
                id?.rawValue ?? -1,
                limit,
                read: SavedAudience.init(row:)
            )
        }
    }

    package func change(
        _ id: AudienceID,
        within app: AppID?,
        _ update: AudienceUpdate,
        ifChangedAt read: Timestamp?,
        at now: Timestamp
    ) async throws(StoreError) -> AudienceChange {
        try await database.write { connection in
            guard let app = try connection.audiences.savedAudience(id, within: app)?.app else { return .missing }
            try connection.lock(.app(app))
            guard let found = try connection.audiences.savedAudience(id, within: app) else { return .missing }
            guard read == nil || read == found.changedAt else { return .outdated(found) }
            // Two changes of one moment differ; a count is of the rule that it counted.
            let rows = try connection.run(
                """
                UPDATE audiences SET name = COALESCE($1, name), rule = COALESCE($2, rule),
                    counted = CASE WHEN COALESCE($2, rule) = rule THEN counted END,
                    counted_at = CASE WHEN COALESCE($2, rule) = rule THEN counted_at END,
                    changed_at = CASE WHEN changed_at < $3 THEN $3 ELSE changed_at + 1 END
                WHERE app_id = $4 AND id = $5 AND NOT EXISTS (
                    SELECT 1 FROM audiences o WHERE o.app_id = $4 AND o.name = $1 AND o.id <> $5)
                """,
                update.name,
                update.rule?.text,
                now,
                found.app,
                id
            )
            guard rows > 0 else { return .nameTaken }
            return try connection.audiences.savedAudience(id, within: found.app).map { .kept($0) } ?? .missing
        }
    }

    package func setCount(
        _ estimate: AudienceEstimate,
        of audience: SavedAudience,
        at now: Timestamp
    ) async throws(StoreError) -> SavedAudience? {
        let text = try JSONColumn(estimate).text
        return try await database.write { connection in
            // What was counted is the rule as it was read.
            try connection.run(
                """
                UPDATE audiences SET counted = $1, counted_at = $2 WHERE app_id = $3 AND id = $4 AND rule = $5
                """,
                text,
                now,
                audience.app,
                audience.id,
                audience.rule
            )
            return try connection.audiences.savedAudience(audience.id, within: audience.app)
        }
    }

    package func deleteAudience(_ id: AudienceID, within app: AppID?) async throws(StoreError) -> AudienceDeletion {
        try await database.write { connection in
            guard let found = try connection.audiences.savedAudience(id, within: app) else { return .missing }
            // No draft chooses it meanwhile.
            try connection.lock(.app(found.app))
            let drafts = try connection.all(
                """
                SELECT id FROM campaigns WHERE app_id = $1 AND audience = $2 AND substr(audience, 1, 8) = '{"saved"'
                    AND kind = 0 AND state <> 'sent' AND state <> 'cancelled'
                ORDER BY id LIMIT $3
                """,
                found.app,
                try JSONColumn(Audience.saved(id)),
                Self.namedDrafts,
                as: CampaignID.self
            )
            guard drafts.isEmpty else { return .used(drafts) }
            let rows = try connection.run("DELETE FROM audiences WHERE app_id = $1 AND id = $2", found.app, id)
            return rows > 0 ? .deleted : .missing
        }
    }

    package func unknownNames(in rule: AudienceRule, app: AppID) async throws(StoreError) -> [AudienceTerm] {
        try await database.read { connection in
            try connection.audiences.unknownNames(in: rule, app: app)
        }
    }
}

extension CampaignRepository {
    package func savedAudience(_ id: AudienceID, within app: AppID?) async throws(StoreError) -> SavedAudience? {
        try await AudienceRepository(database: database).savedAudience(id, within: app)
    }

    package func unknownNames(in rule: AudienceRule, app: AppID) async throws(StoreError) -> [AudienceTerm] {
        try await AudienceRepository(database: database).unknownNames(in: rule, app: app)
    }
}

/// The columns of `audiences`.
private enum AudienceColumn: Int, SQLColumn { case appID, id, name, rule, createdAt, changedAt, counted, countedAt }

extension SavedAudience {
    fileprivate init(row: SQLRow<AudienceColumn>) throws {
        let text: String = try row[.rule]
        guard let rule = try? AudienceRule(text: text) else {
            throw StoreError.failed("A saved audience's rule cannot be read.")
        }
        self.init(
            id: try row[.id],
            app: try row[.appID],
            name: try row[.name],
            rule: rule,
            createdAt: try row[.createdAt]
        )
        changedAt = try row[.changedAt]
        counted = try row.optionalJSON(.counted)
        countedAt = try row[.countedAt]
    }

    fileprivate func bind(to row: SQLParameters<AudienceColumn>) {
        row.bind(app, to: .appID)
        row.bind(id, to: .id)
        row.bind(name, to: .name)
        row.bind(rule, to: .rule)
        row.bind(createdAt, to: .createdAt)
        row.bind(changedAt, to: .changedAt)
        // A new one is not counted yet.
        row.bind(nil as String?, to: .counted)
        row.bind(nil as Timestamp?, to: .countedAt)
    }
}

extension AudienceTable {
    /// Whether an Audience can be chosen: a saved one is not deleted before the transaction ends.
    func isThere(_ audience: Audience, app: AppID) throws -> Bool {
        guard case .saved(let id) = audience else { return true }
        try connection.lock(.app(app))
        return try savedAudience(id, within: app) != nil
    }

    /// The saved Audiences of an App, of which it has few.
    func allSaved(app: AppID) throws -> [SavedAudience] {
        try connection.all(
            "SELECT \(AudienceColumn.list) FROM audiences WHERE app_id = $1 ORDER BY id LIMIT $2",
            app,
            Audiences.maximumCount,
            read: SavedAudience.init(row:)
        )
    }

    fileprivate func savedAudience(_ id: AudienceID, within app: AppID?) throws -> SavedAudience? {
        guard let app = try connection.apps.app(of: id, in: .audiences, within: app) else { return nil }
        return try connection.first(
            "SELECT \(AudienceColumn.list) FROM audiences WHERE app_id = $1 AND id = $2",
            app,
            id,
            read: SavedAudience.init(row:)
        )
    }

    /// The tags and Campaigns of a rule that an App does not have, each once.
    fileprivate func unknownNames(in rule: AudienceRule, app: AppID) throws -> [AudienceTerm] {
        let names = try AudienceNames(rule, app: app, in: connection)
        let campaigns = try campaigns(rule.terms, app: app)
        var unknown: [AudienceTerm] = []
        for term in rule.terms where !unknown.contains(term) {
            switch term {
            case .tag, .tagName: if names.tags[term]?.isEmpty ?? true { unknown.append(term) }
            case .event(let event): if !campaigns.contains(event.campaign) { unknown.append(term) }
            default: continue
            }
        }
        return unknown
    }

    /// Those of the Campaigns that a rule names which the App has.
    private func campaigns(_ terms: [AudienceTerm], app: AppID) throws -> Set<CampaignID> {
        let named = Set(terms.compactMap { if case .event(let event) = $0 { event.campaign } else { nil } })
        guard !named.isEmpty else { return [] }
        let found = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT id FROM campaigns WHERE app_id = $1 AND kind = 0
                        AND id IN (SELECT value FROM json_each($2))
                    """,
                postgreSQL: """
                    SELECT id FROM campaigns WHERE app_id = $1 AND kind = 0
                        AND id = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[]))))
                    """
            ),
            app,
            SQLList(named.lazy.map(\.rawValue), connection.dialect),
            as: CampaignID.self
        )
        return Set(found)
    }
}
