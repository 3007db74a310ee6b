package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel

extension DeliveryRepository {
    package func recentSends(
        to recipients: Recipients,
        of facts: OccurrenceFacts,
        at now: Timestamp
    ) async throws(StoreError) -> SendMemory {
        let question = RecentSendsQuestion(recipients, facts, now, database.dialect)
        return try await database.read { connection throws(StoreError) in
            var memory = SendMemory()
            for cap in facts.frequencyCaps {
                memory.capped.formUnion(try question.capped(by: cap, connection))
            }
            if let period = facts.duplicateGuard {
                memory.said = try question.said(since: now.advanced(by: .zero - period), connection)
            }
            if let group = ControlGroup(of: facts.app, percent: facts.controlGroup) {
                memory.controlled = try question.members(of: group, connection)
            }
            return memory
        }
    }
}

/// Asks what was sent of late to a chunk's Devices, all in one statement for each rule.
private struct RecentSendsQuestion {
    private let app: AppID
    private let occurrence: OccurrenceID
    private let now: Timestamp
    /// The Devices' numbers, as a list in the database's own words.
    private let numbers: String

    init(_ recipients: Recipients, _ facts: OccurrenceFacts, _ now: Timestamp, _ dialect: Dialect) {
        app = facts.app
        occurrence = facts.occurrence
        self.now = now
        let list = recipients.numbers.map { String($0.rawValue) }.joined(separator: ",")
        numbers = dialect == .sqlite ? "[\(list)]" : "{\(list)}"
    }

    func said(since: Timestamp, _ connection: any SQLConnection) throws(StoreError) -> Set<Int64> {
        let sql = connection.dialect.pick(
            sqlite: """
                SELECT message FROM recent_sends WHERE app_id = $1
                    AND device_number IN (SELECT value FROM json_each($2)) AND at > $3 AND occurrence_id <> $4
                """,
            postgreSQL: """
                SELECT message FROM recent_sends WHERE app_id = $1
                    AND device_number = ANY(CAST(CAST($2 AS TEXT) AS BIGINT[])) AND at > $3 AND occurrence_id <> $4
                """
        )
        return Set(try connection.all(sql, app, numbers, since, occurrence) { $0.int64(0) })
    }

    /// The Devices that belong to the App's control group, by their Users.
    func members(of group: ControlGroup, _ connection: any SQLConnection) throws(StoreError) -> Set<DeviceNumber> {
        let sql = connection.dialect.pick(
            sqlite: """
                SELECT number, user_id, public_id FROM devices
                WHERE app_id = $1 AND number IN (SELECT value FROM json_each($2))
                """,
            postgreSQL: """
                SELECT number, user_id, public_id FROM devices
                WHERE app_id = $1 AND number = ANY(CAST(CAST($2 AS TEXT) AS BIGINT[]))
                """
        )
        let rows = try connection.all(sql, app, numbers) { row -> DeviceNumber? in
            group.has(row.bytes(row.isNull(1) ? 2 : 1)) ? DeviceNumber(rawValue: row.int64(0)) : nil
        }
        return Set(rows.compactMap(\.self))
    }

    /// The Devices whose cap is reached: by what each of them got or, for a User's, by what all of them got.
    func capped(by cap: FrequencyCap, _ connection: any SQLConnection) throws(StoreError) -> Set<DeviceNumber> {
        var capped = try capped(by: cap, connection, connection.dialect.pick(sqlite: Self.own, postgreSQL: Self.ownPG))
        guard cap.per == .user else { return capped }
        let sql = connection.dialect.pick(sqlite: Self.ofUser, postgreSQL: Self.ofUserPG)
        capped.formUnion(try self.capped(by: cap, connection, sql))
        return capped
    }

    private func capped(
        by cap: FrequencyCap,
        _ connection: any SQLConnection,
        _ sql: SQL
    ) throws(StoreError) -> Set<DeviceNumber> {
        let since = now.advanced(by: .zero - .seconds(cap.period))
        let rows = try connection.all(
            sql,
            app,
            numbers,
            since,
            occurrence,
            cap.adsOnly,
            cap.limit
        ) { DeviceNumber(rawValue: $0.int64(0)) }
        return Set(rows)
    }

    private static let own: SQL = """
        SELECT r.device_number FROM recent_sends r WHERE r.app_id = $1
            AND r.device_number IN (SELECT value FROM json_each($2)) AND r.at > $3 AND r.occurrence_id <> $4
            AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY r.device_number HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
    private static let ownPG: SQL = """
        SELECT r.device_number FROM recent_sends r WHERE r.app_id = $1
            AND r.device_number = ANY(CAST(CAST($2 AS TEXT) AS BIGINT[])) AND r.at > $3 AND r.occurrence_id <> $4
            AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY r.device_number HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
    private static let ofUser: SQL = """
        SELECT d.number FROM devices d
        JOIN devices o ON o.app_id = d.app_id AND o.user_id = d.user_id
        JOIN recent_sends r ON r.app_id = o.app_id AND r.device_number = o.number
        WHERE d.app_id = $1 AND d.number IN (SELECT value FROM json_each($2)) AND r.at > $3
            AND r.occurrence_id <> $4 AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY d.number HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
    private static let ofUserPG: SQL = """
        SELECT d.number FROM devices d
        JOIN devices o ON o.app_id = d.app_id AND o.user_id = d.user_id
        JOIN recent_sends r ON r.app_id = o.app_id AND r.device_number = o.number
        WHERE d.app_id = $1 AND d.number = ANY(CAST(CAST($2 AS TEXT) AS BIGINT[])) AND r.at > $3
            AND r.occurrence_id <> $4 AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY d.number HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
}

extension SQLConnection {
    /// Remembers what was taken, and forgets what nobody asks for any more.
    func remember(_ commit: ChunkCommit) throws(StoreError) {
        guard let memory = commit.memory, !commit.sends.isEmpty else { return }
        let key = commit.lease.chunk
        let forget = try prepare("DELETE FROM recent_sends WHERE app_id = $1 AND device_number = $2 AND at < $3")
        forget.bind(key.app.rawValue, at: 1)
        forget.bind(memory.keptSince.rawValue, at: 3)
        let insert = try prepare(
            """
            INSERT INTO recent_sends (app_id, device_number, occurrence_id, push_type, at, is_ad, is_capped, message)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
            """
        )
        insert.bind(key.app.rawValue, at: 1)
        insert.bind(key.occurrence.rawValue, at: 3)
        insert.bind(commit.at.rawValue, at: 5)
        insert.bind(Int64(memory.isAd ? 1 : 0), at: 6)
        insert.bind(Int64(memory.isCapped ? 1 : 0), at: 7)
        for send in commit.sends {
            forget.bind(send.device.rawValue, at: 2)
            try forget.run()
            insert.bind(send.device.rawValue, at: 2)
            insert.bind(send.pushType.code, at: 4)
            insert.bind(send.message, at: 8)
            try insert.run()
        }
    }
}

extension OccurrenceRules {
    /// Reads a Campaign's timing, its App's rules and which firing it is; the columns in this order.
    static func stored(_ row: any SQLStatement, from column: Int) throws(StoreError) -> OccurrenceRules {
        var rules = OccurrenceRules()
        let (slot, part) = (row.int64(column + 2), row.int64(column + 3))
        rules.plannedAt = Timestamp(rawValue: row.int64(column + 4))
        if !row.isNull(column) {
            let timing: CampaignTiming = try CampaignRow.decode(row.bytes(column))
            rules.validFor = timing.validFor.map { .seconds($0) }
            rules.pace = timing.pace
            rules.nightPolicy = timing.nightPolicy ?? .skip
            rules.isTransactional = timing.isTransactional ?? false
            if case .groups(let count, _) = timing.pace { rules.group = Group(index: part, count: Int64(count)) }
            if let schedule = timing.schedule, schedule.isLocal {
                rules.local = LocalTime(
                    wall: WallTime(minutes: Int(slot)),
                    zone: schedule.zone,
                    acceptedAt: Timestamp(rawValue: row.int64(column + 5))
                )
            }
        }
        if !row.isNull(column + 1) { rules.app = try CampaignRow.decode(row.bytes(column + 1)) }
        return rules
    }
}
