package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

private enum ReachRulesColumn: Int, SQLColumn { case dialect, adRule, tokenLifetime, sendingRules, payloadLimit }
private enum ReachedColumn: Int, SQLColumn {
    case number, publicID, userID, language, country, timeZone, model, appVersion
}

extension CampaignRepository {
    package func reachFacts(of campaign: Campaign, at time: Timestamp) async throws(StoreError) -> OccurrenceFacts? {
        try await database.read { connection in
            try connection.first(
                "SELECT \(ReachRulesColumn.list) FROM apps WHERE id = $1",
                campaign.app
            ) { try OccurrenceFacts(of: campaign, at: time, row: $0) }
        }
    }

    package func lastDevice(of app: AppID) async throws(StoreError) -> DeviceNumber {
        try await database.read { connection in
            let sql: SQL = "SELECT MAX(number) FROM devices WHERE app_id = $1"
            let last = try connection.first(sql, app, as: DeviceNumber?.self)
            return last.flatMap(\.self) ?? DeviceNumber(rawValue: 0)
        }
    }

    package func candidates(
        of facts: OccurrenceFacts,
        after: DeviceNumber,
        through: DeviceNumber
    ) async throws(StoreError) -> ReachReading {
        try await database.read { connection in
            var reader = CandidateReader(facts)
            let end = try reader.read(connection, after: after, through: through)
            return ReachReading(recipients: reader.recipients, owners: reader.owners, through: end)
        }
    }

    package func recentSends(
        to recipients: Recipients,
        of facts: OccurrenceFacts,
        at now: Timestamp
    ) async throws(StoreError) -> SendMemory {
        try await DeliveryRepository(database: database).recentSends(to: recipients, of: facts, at: now)
    }

    package func usersWithDevices(_ users: [UserID], of app: AppID) async throws(StoreError) -> Set<UserID> {
        try await database.read { connection in
            let found = try connection.all(
                connection.dialect.pick(
                    sqlite: """
                        SELECT u.value FROM json_each($1) u WHERE EXISTS (
                            SELECT 1 FROM devices d WHERE d.app_id = $2 AND d.user_id = u.value) LIMIT 1000
                        """,
                    postgreSQL: """
                        SELECT u.id FROM unnest(CAST(CAST($1 AS TEXT) AS TEXT[])) AS u (id) WHERE EXISTS (
                            SELECT 1 FROM devices d WHERE d.app_id = $2 AND d.user_id = u.id) LIMIT 1000
                        """
                ),
                SQLList(texts: users.lazy.map(\.rawValue), connection.dialect),
                app,
                as: UserID.self
            )
            return Set(found)
        }
    }

    package func reached(
        _ numbers: [DeviceNumber],
        of app: AppID,
        _ terms: [AudienceTerm],
        at now: Timestamp
    ) async throws(StoreError) -> [ReachedDevice] {
        try await database.read { connection in
            let list = SQLList(numbers.lazy.map(\.rawValue), connection.dialect)
            var devices = try connection.all(
                connection.dialect.pick(
                    sqlite: """
                        SELECT \(ReachedColumn.list) FROM devices
                        WHERE app_id = $1 AND number IN (SELECT value FROM json_each($2)) ORDER BY number LIMIT 100
                        """,
                    postgreSQL: """
                        SELECT \(ReachedColumn.list) FROM devices
                        WHERE app_id = $1 AND number = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[]))))
                        ORDER BY number LIMIT 100
                        """
                ),
                app,
                list,
                read: ReachedDevice.init(row:)
            )
            for term in terms {
                let matching = try connection.audiences.numbers(numbers.sorted(), matching: term, app: app, at: now)
                for place in devices.indices where matching.contains(devices[place].number) {
                    devices[place].matches.append(term)
                }
            }
            return devices
        }
    }
}

extension AudienceTable {
    /// Those of some Devices for whom a condition holds.
    fileprivate func numbers(
        _ numbers: [DeviceNumber],
        matching term: AudienceTerm,
        app: AppID,
        at now: Timestamp
    ) throws -> Set<DeviceNumber> {
        let reading = try AudienceReading(.term(term), app: app, now: now, budget: .max / 2, in: connection)
        let columns = AudienceStatement.Columns.candidates(.notification, oldest: Timestamp(rawValue: 0))
        let sql = reading.statement(of: numbers, columns, connection.dialect)
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        sql.bind(to: statement) { slot in
            switch slot {
            case .app: app.rawValue
            case .after: 0
            case .through: Int64.max
            case .limit: Int64(numbers.count)
            }
        }
        var found: Set<DeviceNumber> = []
        while try statement.next() {
            found.insert(DeviceNumber(rawValue: statement.int64(RecipientColumn.number.rawValue)))
        }
        return found
    }
}

extension ReachedDevice {
    fileprivate init(row: SQLRow<ReachedColumn>) throws {
        self.init(number: try row[.number], id: try row[.publicID])
        user = try row[.userID]
        language = try row[.language]
        country = try row[.country]
        timeZone = try row[.timeZone]
        model = try row[.model]
        appVersion = try row[.appVersion]
    }
}

extension OccurrenceFacts {
    /// What an Occurrence of a Campaign would have, with the rules of its App.
    fileprivate init(of campaign: Campaign, at time: Timestamp, row: SQLRow<ReachRulesColumn>) throws {
        var content = ContentRules(campaign)
        content.payloadLimit = try row[.payloadLimit]
        self.init(
            app: campaign.app,
            campaign: campaign.id,
            occurrence: OccurrenceID(rawValue: 0),
            audience: campaign.audience,
            message: campaign.message,
            isAd: campaign.isAd,
            channel: campaign.channel,
            dialect: try row[.dialect],
            adRule: try row[.adRule],
            content: content,
            startedAt: time,
            retryUntil: time
        )
        oldestRegistration = time.advanced(by: .seconds(-86_400 * (try row[.tokenLifetime] as Int64)))
        rules.plannedAt = time
        rules.validFor = campaign.validFor.map { .seconds($0) }
        rules.nightPolicy = campaign.nightPolicy
        rules.isTransactional = campaign.isTransactional
        if let app: JSONColumn<SendingRules> = try row[.sendingRules] { rules.app = app.value }
    }
}
