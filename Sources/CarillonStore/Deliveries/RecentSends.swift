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
        var memory = try await database.read { connection throws(StoreError) in
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
        let userCaps = facts.frequencyCaps.filter { $0.per == .user }
        if !userCaps.isEmpty { memory.capped.formUnion(try await capped(by: userCaps, question)) }
        return memory
    }

    /// The Devices whose User's cap is reached by what all Devices of the User got.
    ///
    /// Each read has a part of the Users who do not have more Devices together than one read takes.
    private func capped(
        by caps: [FrequencyCap],
        _ question: RecentSendsQuestion
    ) async throws(StoreError) -> Set<DeviceNumber> {
        let devices = try await database.read { connection throws(StoreError) in try question.users(connection) }
        let users = Dictionary(grouping: devices, by: \.user).mapValues { $0.map(\.device) }
        let names = Array(users.keys)
        var parts = UserParts()
        for start in stride(from: 0, to: names.count, by: UserParts.userLimit) {
            let some = names[start..<min(start + UserParts.userLimit, names.count)]
            let counts = try await database.read { connection throws(StoreError) in
                try question.deviceCounts(of: some, connection)
            }
            parts.add(counts)
        }
        var capped: Set<DeviceNumber> = []
        for part in parts.parts {
            let found = try await database.read { connection throws(StoreError) in
                var found: Set<UserID> = []
                for cap in caps { found.formUnion(try question.users(of: part, cappedBy: cap, connection)) }
                return found
            }
            for user in found { capped.formUnion(users[user] ?? []) }
        }
        return capped
    }
}

/// Users who have more Devices than one, in parts that have few enough together.
struct UserParts {
    /// How many Users one statement counts the Devices of.
    static let userLimit = 1_000
    /// How many Devices the Users of a part have together.
    static let deviceLimit = 20_000

    private(set) var parts: [[UserID]] = []
    private var devices = 0

    /// Adds Users with the numbers of their Devices.
    ///
    /// One of a single Device got what the Device got. One with more than a person has is no person: each of the
    /// Devices counts for itself, whatever the others got.
    mutating func add(_ counts: [(user: UserID, devices: Int)]) {
        for (user, count) in counts where count > 1 && count <= Tags.maximumDevices {
            if parts.isEmpty || devices + count > Self.deviceLimit {
                parts.append([])
                devices = 0
            }
            parts[parts.count - 1].append(user)
            devices += count
        }
    }
}

/// Asks what was sent of late to a chunk's Devices, all in one statement for each rule.
private struct RecentSendsQuestion {
    private let app: AppID
    private let occurrence: OccurrenceID
    private let now: Timestamp
    private let numbers: SQLList
    private let dialect: Dialect

    init(_ recipients: Recipients, _ facts: OccurrenceFacts, _ now: Timestamp, _ dialect: Dialect) {
        app = facts.app
        occurrence = facts.occurrence
        self.now = now
        numbers = SQLList(recipients.numbers.lazy.map(\.rawValue), dialect)
        self.dialect = dialect
    }

    func said(since: Timestamp, _ connection: any SQLConnection) throws(StoreError) -> Set<Int64> {
        let sql = connection.dialect.pick(
            sqlite: """
                SELECT message FROM recent_sends WHERE app_id = $1
                    AND device_number IN (SELECT value FROM json_each($2)) AND at > $3 AND occurrence_id <> $4
                """,
            postgreSQL: """
                SELECT message FROM recent_sends WHERE app_id = $1
                    AND device_number = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])))) AND at > $3
                    AND occurrence_id <> $4
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
                WHERE app_id = $1 AND number = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[]))))
                """
        )
        let rows = try connection.all(sql, app, numbers) { row -> DeviceNumber? in
            group.has(row.bytes(row.isNull(1) ? 2 : 1)) ? DeviceNumber(rawValue: row.int64(0)) : nil
        }
        return Set(rows.compactMap(\.self))
    }

    /// The Devices whose cap is reached by what each of them got.
    func capped(by cap: FrequencyCap, _ connection: any SQLConnection) throws(StoreError) -> Set<DeviceNumber> {
        let rows = try connection.all(
            dialect.pick(sqlite: Self.own, postgreSQL: Self.ownPG),
            app,
            numbers,
            since(cap),
            occurrence,
            cap.adsOnly,
            cap.limit
        ) { DeviceNumber(rawValue: $0.int64(0)) }
        return Set(rows)
    }

    /// The Devices that have a User, with it.
    func users(_ connection: any SQLConnection) throws(StoreError) -> [(device: DeviceNumber, user: UserID)] {
        let rows = try connection.all(dialect.pick(sqlite: Self.users, postgreSQL: Self.usersPG), app, numbers) {
            (device: DeviceNumber(rawValue: $0.int64(0)), user: UserID(rawValue: $0.string(1)))
        }
        return rows.compactMap { device, user in user.map { (device, $0) } }
    }

    /// How many Devices each of some Users has, as far as a person has as many.
    func deviceCounts(
        of users: some Sequence<UserID>,
        _ connection: any SQLConnection
    ) throws(StoreError) -> [(user: UserID, devices: Int)] {
        let rows = try connection.all(
            dialect.pick(sqlite: Self.deviceCounts, postgreSQL: Self.deviceCountsPG),
            app,
            Tags.maximumDevices + 1,
            SQLList(texts: users.lazy.map(\.rawValue), dialect)
        ) { (user: UserID(rawValue: $0.string(0)), devices: $0.int(1)) }
        return rows.compactMap { user, devices in user.map { ($0, devices) } }
    }

    /// Those of some Users whose cap is reached by what all Devices of each got.
    func users(
        of part: [UserID],
        cappedBy cap: FrequencyCap,
        _ connection: any SQLConnection
    ) throws(StoreError) -> [UserID] {
        let rows = try connection.all(
            dialect.pick(sqlite: Self.ofUsers, postgreSQL: Self.ofUsersPG),
            SQLList(texts: part.lazy.map(\.rawValue), dialect),
            app,
            since(cap),
            occurrence,
            cap.adsOnly,
            cap.limit
        ) { UserID(rawValue: $0.string(0)) }
        return rows.compactMap(\.self)
    }

    private func since(_ cap: FrequencyCap) -> Timestamp { now.advanced(by: .zero - .seconds(cap.period)) }

    private static let own: SQL = """
        SELECT r.device_number FROM recent_sends r WHERE r.app_id = $1
            AND r.device_number IN (SELECT value FROM json_each($2)) AND r.at > $3 AND r.occurrence_id <> $4
            AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY r.device_number HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
    private static let ownPG: SQL = """
        SELECT r.device_number FROM recent_sends r WHERE r.app_id = $1
            AND r.device_number = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])))) AND r.at > $3
            AND r.occurrence_id <> $4
            AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY r.device_number HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
    private static let users: SQL = """
        SELECT number, user_id FROM devices
        WHERE app_id = $1 AND number IN (SELECT value FROM json_each($2)) AND user_id IS NOT NULL
        """
    private static let usersPG: SQL = """
        SELECT number, user_id FROM devices
        WHERE app_id = $1 AND number = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[]))))
            AND user_id IS NOT NULL
        """
    private static let deviceCounts: SQL = """
        SELECT u.value, (SELECT count(*) FROM (
            SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.user_id = u.value LIMIT $2) AS found)
        FROM json_each($3) u
        """
    private static let deviceCountsPG: SQL = """
        SELECT u.id, (SELECT count(*) FROM (
            SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.user_id = u.id LIMIT $2) AS found)
        FROM unnest(CAST(CAST($3 AS TEXT) AS TEXT[])) AS u (id)
        """
    private static let ofUsers: SQL = """
        SELECT u.value FROM json_each($1) u
        CROSS JOIN devices d ON d.app_id = $2 AND d.user_id = u.value
        CROSS JOIN recent_sends r ON r.app_id = $2 AND r.device_number = d.number
        WHERE r.at > $3 AND r.occurrence_id <> $4 AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY u.value HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
    /// The limit lets PostgreSQL follow the index of Users, whatever it knows of the table.
    private static let ofUsersPG: SQL = """
        SELECT u.id FROM unnest(CAST(CAST($1 AS TEXT) AS TEXT[])) AS u (id)
        CROSS JOIN LATERAL (
            SELECT x.app_id, x.number FROM devices x WHERE x.app_id = $2 AND x.user_id = u.id LIMIT 1000) AS d
        JOIN recent_sends r ON r.app_id = $2 AND r.device_number = d.number
        WHERE r.at > $3 AND r.occurrence_id <> $4 AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY u.id HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
}

extension SQLConnection {
    /// Remembers what was taken, and forgets what nobody asks for any more.
    func remember(_ commit: ChunkCommit) throws(StoreError) {
        guard let memory = commit.memory, !commit.sends.isEmpty else { return }
        let key = commit.lease.chunk
        guard dialect == .sqlite else { return try remember(commit, memory) }
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

    /// As on SQLite, where a row costs no round trip, but in two statements.
    private func remember(_ commit: ChunkCommit, _ memory: ChunkCommit.Memory) throws(StoreError) {
        let key = commit.lease.chunk
        let devices = SQLList(commit.sends.lazy.map(\.device.rawValue), dialect)
        try send(
            """
            DELETE FROM recent_sends
            WHERE app_id = $1 AND device_number = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[]))))
                AND at < $3
            """,
            key.app,
            devices,
            memory.keptSince
        )
        try send(
            """
            INSERT INTO recent_sends (app_id, device_number, occurrence_id, push_type, at, is_ad, is_capped, message)
            SELECT CAST($1 AS BIGINT), u.device, CAST($2 AS BIGINT), u.push, CAST($3 AS BIGINT), CAST($4 AS BIGINT),
                CAST($5 AS BIGINT), u.message
            FROM unnest(CAST(CAST($6 AS TEXT) AS BIGINT[]), CAST(CAST($7 AS TEXT) AS BIGINT[]),
                CAST(CAST($8 AS TEXT) AS BIGINT[])) AS u (device, push, message)
            ON CONFLICT DO NOTHING
            """,
            key.app,
            key.occurrence,
            commit.at,
            memory.isAd,
            memory.isCapped,
            devices,
            SQLList(commit.sends.lazy.map(\.pushType.code), dialect),
            SQLList(commit.sends.lazy.map(\.message), dialect)
        )
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
