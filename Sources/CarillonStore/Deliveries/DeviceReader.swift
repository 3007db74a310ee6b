import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL

/// The columns of a Device with an active token for notifications.
enum RecipientColumn: Int, SQLColumn { case number, pushType, token, consent, language, timeZone, tokenUnconfirmed }

/// Gathers rows of Devices that have an active token of a channel.
package struct DeviceReader {
    private(set) var recipients = Recipients()
    private let facts: OccurrenceFacts
    private let limit: Int
    private let pushTypes: (production: PushType, sandbox: PushType)
    private var gate: ZoneGate?
    /// How many did not pass the gate.
    private(set) var deferredCount = 0
    private let asksZone: Bool
    private let budget: Int

    /// Prepares a reading.
    ///
    /// - Parameters:
    ///   - facts: What is sent.
    ///   - limit: After how many rows it ends.
    ///   - gate: Lets Devices pass whose own time has come.
    ///   - budget: How many Devices are looked at, roughly.
    init(_ facts: OccurrenceFacts, limit: Int, gate: ZoneGate? = nil, budget: Int) {
        self.facts = facts
        self.limit = limit
        pushTypes = facts.channel.pushTypes
        self.gate = gate
        asksZone = facts.isAd || facts.rules.asksZone
        self.budget = budget
        recipients.reserve(min(limit, 5_000))
    }

    private var isFull: Bool { recipients.count >= limit }

    /// How many rows a statement has to give so that it is seen whether there are more.
    private var rowLimit: Int { isSifted ? max(limit + 1, budget) : limit + 1 }

    /// Whether some of the rows are left out here.
    private var isSifted: Bool { gate != nil || facts.rules.group != nil }

    /// When Waves are needed for Devices that did not pass the gate.
    var later: Set<Timestamp> { gate?.later ?? [] }

    // MARK: - Audiences

    /// Reads all Devices, as many as may be looked at.
    ///
    /// - Returns: The last number that was looked at.
    mutating func readAll(
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws -> DeviceNumber {
        let window = after.rawValue.addingReportingOverflow(Int64(budget))
        let isCut = !window.overflow && window.partialValue < through.rawValue
        let end = isCut ? DeviceNumber(rawValue: window.partialValue) : through
        return try readRun(connection, after: after, through: end) ?? end
    }

    /// Reads the Devices of a rule or of a list, as many as may be looked at.
    ///
    /// - Returns: The last number that was looked at.
    mutating func read(
        _ audience: Audience,
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws -> DeviceNumber {
        let rule: AudienceRule? = if case .rule(let rule) = audience { rule } else { nil }
        let list = AudienceList(audience)
        var users: AudienceList?
        if let looked = list ?? rule.flatMap({ AudienceList($0) }) {
            guard try connection.audiences.isLong(looked, app: facts.app) else {
                return try read(looked, rule, connection, after: after, through: through)
            }
            users = list
        }
        let reading = try reading(rule, users: users, connection)
        let (route, end) = try reading.route(after: after, through: through, in: connection)
        guard let sql = reading.statement(route, columns, connection.dialect) else { return end }
        return try read(sql, connection, after: after, through: end) ?? end
    }

    /// Reads the Devices of a list, a portion of it.
    private mutating func read(
        _ list: AudienceList,
        _ rule: AudienceRule?,
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws -> DeviceNumber {
        let numbers = try connection.audiences.numbers(of: list, app: facts.app, after: after, through: through)
        guard let last = numbers.last else { return through }
        let end = numbers.count < AudienceList.portion ? through : last
        let sql = try reading(rule, connection).statement(of: numbers, columns, connection.dialect)
        return try read(sql, connection, after: after, through: end) ?? end
    }

    private var columns: AudienceStatement.Columns {
        .recipients(facts.channel, oldest: facts.oldestRegistration)
    }

    private func reading(
        _ rule: AudienceRule?,
        users: AudienceList? = nil,
        _ connection: any SQLConnection
    ) throws -> AudienceReading {
        try AudienceReading(
            rule,
            app: facts.app,
            now: facts.startedAt,
            budget: budget,
            users: users,
            in: connection
        )
    }

    // MARK: - Statements

    /// - Returns: The last number that was read when there may be more; `nil` at the end of the run.
    private mutating func read(
        _ sql: ComposedSQL,
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws -> DeviceNumber? {
        let statement = try connection.prepare(sql)
        sql.bind(to: statement) { slot in
            switch slot {
            case .app: facts.app.rawValue
            case .after: after.rawValue
            case .through: through.rawValue
            case .limit: Int64(rowLimit)
            }
        }
        return try take(statement)
    }

    /// Reads Devices in the order of their numbers, whoever they are.
    ///
    /// - Returns: As the one above.
    private mutating func readRun(
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws -> DeviceNumber? {
        let statement = try connection.prepare(facts.channel == .voip ? Self.calls : Self.devices)
        statement.bind(facts.app.rawValue, at: 1)
        statement.bind(after.rawValue, at: 2)
        statement.bind(through.rawValue, at: 3)
        statement.bind(DeviceRecord.TokenState.active.code, at: 4)
        statement.bind(facts.oldestRegistration.rawValue, at: 5)
        statement.bind(Int64(rowLimit), at: 6)
        return try take(statement)
    }

    /// Devices with a token for notifications.
    package static let devices: SQL = """
        SELECT \(RecipientColumn.list) FROM devices
        WHERE app_id = $1 AND number > $2 AND number <= $3 AND token_state = $4 AND registered_at >= $5
        ORDER BY number LIMIT $6
        """
    /// Devices with a token for calls, in the columns of ``RecipientColumn``.
    package static let calls: SQL = """
        SELECT t.device_number, t.push_type, t.token, d.consent, d.language, d.time_zone, t.unconfirmed
        FROM call_tokens t CROSS JOIN devices d
        WHERE t.app_id = $1 AND t.device_number > $2 AND t.device_number <= $3 AND t.state = $4
            AND d.app_id = $1 AND d.number = t.device_number AND d.registered_at >= $5
        ORDER BY t.device_number LIMIT $6
        """

    private static var noZone: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    private mutating func take(_ statement: any SQLStatement) throws -> DeviceNumber? {
        defer { statement.reset() }
        var last: Int64 = -1
        var rowCount = 0
        while try statement.next() {
            if isFull { return DeviceNumber(rawValue: last) }
            let number = statement.int64(RecipientColumn.number.rawValue)
            last = number
            rowCount += 1
            if let group = facts.rules.group, !group.has(number) { continue }
            if gate != nil, gate?.opens(statement.bytes(RecipientColumn.timeZone.rawValue)) == false {
                deferredCount += 1
                continue
            }
            let code = statement.int64(RecipientColumn.pushType.rawValue)
            recipients.append(
                number: DeviceNumber(rawValue: number),
                pushType: code == pushTypes.production.code ? pushTypes.production : pushTypes.sandbox,
                consent: .read(statement, at: RecipientColumn.consent.rawValue),
                language: statement.bytes(RecipientColumn.language.rawValue),
                zone: asksZone ? statement.bytes(RecipientColumn.timeZone.rawValue) : Self.noZone,
                token: statement.bytes(RecipientColumn.token.rawValue),
                isUnconfirmed: !statement.isNull(RecipientColumn.tokenUnconfirmed.rawValue)
            )
        }
        // With rows left out, the statement may have come to its end before the run did.
        return rowCount == rowLimit ? DeviceNumber(rawValue: last) : nil
    }
}

/// What `EXPLAIN` gives.
private enum PlanColumn: Int { case line }

extension DeliveryTable {
    /// How the database finds the Devices of a rule, a line for each step.
    ///
    /// Tests hold it against what may be looked at.
    package func plan(
        ofReading rule: AudienceRule,
        app: AppID,
        _ channel: Campaign.Channel
    ) throws -> [String] {
        let reading = try AudienceReading(rule, app: app, now: Timestamp(rawValue: 0), budget: 100, in: connection)
        let end = DeviceNumber(rawValue: .max)
        let route = try reading.route(after: DeviceNumber(rawValue: 0), through: end, in: connection).route
        let columns = AudienceStatement.Columns.recipients(channel, oldest: Timestamp(rawValue: 0))
        guard let sql = reading.statement(route, columns, connection.dialect) else { return [] }
        guard connection.dialect == .postgreSQL else { return try connection.plan(of: sql) }
        let statement = try connection.prepare(sql.explained)
        defer { statement.reset() }
        sql.bind(to: statement) { slot in
            switch slot {
            case .app: app.rawValue
            case .after: 0
            case .through: 10_000
            case .limit: 5_001
            }
        }
        var lines: [String] = []
        while try statement.next() { lines.append(statement.string(PlanColumn.line.rawValue)) }
        return lines
    }
}
