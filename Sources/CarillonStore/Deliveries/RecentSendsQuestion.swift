import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Asks what was sent of late to a chunk's Devices, all in one statement for each rule.
struct RecentSendsQuestion {
    private let app: AppID
    private let occurrence: OccurrenceID
    private let now: Timestamp
    private let numbers: SQLList
    private let dialect: Dialect

    /// Asks of a Chunk's Devices, on one database.
    init(_ recipients: Recipients, _ facts: OccurrenceFacts, _ now: Timestamp, _ dialect: Dialect) {
        app = facts.app
        occurrence = facts.occurrence
        self.now = now
        numbers = SQLList(recipients.numbers.lazy.map(\.rawValue), dialect)
        self.dialect = dialect
    }

    /// The messages that were said to some of the Devices since a time, by their hashes.
    func said(since: Timestamp, _ connection: any SQLConnection) throws -> Set<Int64> {
        let sql = connection.dialect.pick(
            sqlite: """
                SELECT message FROM recent_sends WHERE app_id = $1
                    AND device_number IN (SELECT value FROM json_each($2)) AND at > $3 AND occurrence_id <> $4
                """,
            postgreSQL: """
                SELECT r.message FROM unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value)
                CROSS JOIN LATERAL (
                    SELECT x.message FROM recent_sends x
                    WHERE x.app_id = $1 AND x.device_number = n.value AND x.at > $3 AND x.occurrence_id <> $4
                    OFFSET 0) AS r
                """
        )
        return Set(
            try connection.all(sql, app, numbers, since, occurrence) { $0.int64(SaidColumn.message.rawValue) }
        )
    }

    /// The Devices that belong to the App's control group, by their Users.
    func members(of group: ControlGroup, _ connection: any SQLConnection) throws -> Set<DeviceNumber> {
        let sql = connection.dialect.pick(
            sqlite: """
                SELECT \(MemberColumn.list) FROM devices
                WHERE app_id = $1 AND number IN (SELECT value FROM json_each($2))
                """,
            postgreSQL: """
                SELECT \(MemberColumn.list(of: "d")) FROM unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value)
                CROSS JOIN LATERAL (SELECT * FROM devices x WHERE x.app_id = $1 AND x.number = n.value LIMIT 1) AS d
                """
        )
        let rows = try connection.all(sql, app, numbers) { row -> DeviceNumber? in
            let name: MemberColumn = row.isNull(MemberColumn.userID.rawValue) ? .publicID : .userID
            guard group.has(row.bytes(name.rawValue)) else { return nil }
            return DeviceNumber(rawValue: row.int64(MemberColumn.number.rawValue))
        }
        return Set(rows.compactMap(\.self))
    }

    /// The Devices whose cap is reached by what each of them got.
    func capped(by cap: FrequencyCap, _ connection: any SQLConnection) throws -> Set<DeviceNumber> {
        let rows = try connection.all(
            dialect.pick(sqlite: Self.own, postgreSQL: Self.ownPG),
            app,
            numbers,
            since(cap),
            occurrence,
            cap.adsOnly,
            cap.limit
        ) { DeviceNumber(rawValue: $0.int64(CappedColumn.owner.rawValue)) }
        return Set(rows)
    }

    /// The Devices that have a User, with it.
    func users(_ connection: any SQLConnection) throws -> [(device: DeviceNumber, user: UserID)] {
        let sql = dialect.pick(sqlite: Self.users, postgreSQL: Self.usersPG)
        let rows = try connection.all(sql, app, numbers) { row -> (device: DeviceNumber, user: UserID)? in
            guard let user = UserID(rawValue: row.string(MemberColumn.userID.rawValue)) else { return nil }
            return (DeviceNumber(rawValue: row.int64(MemberColumn.number.rawValue)), user)
        }
        return rows.compactMap(\.self)
    }

    /// How many Devices each of some Users has, as far as a person has as many.
    func deviceCounts(
        of users: some Sequence<UserID>,
        _ connection: any SQLConnection
    ) throws -> [(user: UserID, devices: Int)] {
        let rows = try connection.all(
            dialect.pick(sqlite: Self.deviceCounts, postgreSQL: Self.deviceCountsPG),
            app,
            Tags.maximumDevices + 1,
            SQLList(texts: users.lazy.map(\.rawValue), dialect)
        ) { row -> (user: UserID, devices: Int)? in
            guard let user = UserID(rawValue: row.string(CappedColumn.owner.rawValue)) else { return nil }
            return (user, Int(row.int64(CappedColumn.devices.rawValue)))
        }
        return rows.compactMap(\.self)
    }

    /// Those of some Users whose cap is reached by what all Devices of each got.
    func users(
        of part: [UserID],
        cappedBy cap: FrequencyCap,
        _ connection: any SQLConnection
    ) throws -> [UserID] {
        let rows = try connection.all(
            dialect.pick(sqlite: Self.ofUsers, postgreSQL: Self.ofUsersPG),
            SQLList(texts: part.lazy.map(\.rawValue), dialect),
            app,
            since(cap),
            occurrence,
            cap.adsOnly,
            cap.limit
        ) { UserID(rawValue: $0.string(CappedColumn.owner.rawValue)) }
        return rows.compactMap(\.self)
    }

    private func since(_ cap: FrequencyCap) -> Timestamp { now.advanced(by: .zero - .seconds(cap.period)) }

    private static let own: SQL = """
        SELECT r.device_number FROM recent_sends r WHERE r.app_id = $1
            AND r.device_number IN (SELECT value FROM json_each($2)) AND r.at > $3 AND r.occurrence_id <> $4
            AND r.is_capped = 1 AND r.is_ad >= $5
        GROUP BY r.device_number HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
    // A subquery with a limit or an offset is not merged into its query: PostgreSQL goes from the list to the rows,
    // whatever it knows of a table that has grown to millions of rows since it was last analyzed.
    private static let ownPG: SQL = """
        SELECT r.device_number FROM unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (
            SELECT x.device_number, x.occurrence_id FROM recent_sends x
            WHERE x.app_id = $1 AND x.device_number = n.value AND x.at > $3 AND x.occurrence_id <> $4
                AND x.is_capped = 1 AND x.is_ad >= $5
            OFFSET 0) AS r
        GROUP BY r.device_number HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
    private static let users: SQL = """
        SELECT number, user_id FROM devices
        WHERE app_id = $1 AND number IN (SELECT value FROM json_each($2)) AND user_id IS NOT NULL
        """
    private static let usersPG: SQL = """
        SELECT d.number, d.user_id FROM unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (SELECT * FROM devices x WHERE x.app_id = $1 AND x.number = n.value LIMIT 1) AS d
        WHERE d.user_id IS NOT NULL
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
    private static let ofUsersPG: SQL = """
        SELECT u.id FROM unnest(CAST(CAST($1 AS TEXT) AS TEXT[])) AS u (id)
        CROSS JOIN LATERAL (
            SELECT x.app_id, x.number FROM devices x WHERE x.app_id = $2 AND x.user_id = u.id LIMIT 1000) AS d
        CROSS JOIN LATERAL (
            SELECT x.occurrence_id FROM recent_sends x
            WHERE x.app_id = $2 AND x.device_number = d.number AND x.at > $3 AND x.occurrence_id <> $4
                AND x.is_capped = 1 AND x.is_ad >= $5
            OFFSET 0) AS r
        GROUP BY u.id HAVING COUNT(DISTINCT r.occurrence_id) >= $6
        """
}

private enum SaidColumn: Int { case message }

/// A Device or a User, and how many Devices a User has.
private enum CappedColumn: Int { case owner, devices }

/// By what a Device belongs to a control group: its User, or itself.
private enum MemberColumn: Int, SQLColumn { case number, userID, publicID }
