package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel

/// Gathers rows of Devices that have an active token of a channel.
package struct DeviceReader {
    private(set) var recipients = Recipients()
    private let facts: OccurrenceFacts
    private let limit: Int
    private let pushTypes: (production: PushType, sandbox: PushType)
    private let done: Set<Addressee>
    private var gate: ZoneGate?
    private let asksZone: Bool
    private let budget: Int

    /// Prepares a reading.
    ///
    /// - Parameters:
    ///   - facts: What is sent.
    ///   - limit: After how many rows it ends; `.max` never.
    ///   - done: Rows to leave out; only without a limit.
    ///   - gate: Lets Devices pass whose own time has come.
    ///   - budget: How many Devices are looked at, roughly.
    init(_ facts: OccurrenceFacts, limit: Int, done: Set<Addressee>, gate: ZoneGate? = nil, budget: Int) {
        self.facts = facts
        self.limit = limit
        pushTypes = facts.channel.pushTypes
        self.done = done
        self.gate = gate
        asksZone = facts.isAd || facts.rules.asksZone
        self.budget = budget
        recipients.reserve(min(limit, 5_000))
    }

    private var isFull: Bool { recipients.count >= limit }

    /// How many rows a statement has to give so that it is seen whether there are more.
    private var rowLimit: Int {
        limit == .max ? .max : isSifted ? max(limit + 1, budget) : limit + 1
    }

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
    ) throws(StoreError) -> DeviceNumber {
        let window = after.rawValue.addingReportingOverflow(Int64(budget))
        let isCut = limit != .max && !window.overflow && window.partialValue < through.rawValue
        let end = isCut ? DeviceNumber(rawValue: window.partialValue) : through
        return try readRun(connection, after: after, through: end) ?? end
    }

    /// Reads Devices whose numbers are known.
    ///
    /// - Returns: The last number that was looked at.
    mutating func read(
        _ numbers: [DeviceNumber],
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws(StoreError) -> DeviceNumber {
        var last = after
        for number in numbers where number > after && number <= through {
            guard !isFull else { return last }
            _ = try readRun(connection, after: number.before, through: number)
            last = number
        }
        return through
    }

    /// Reads the Devices of a rule, as many as may be looked at.
    ///
    /// - Returns: The last number that was looked at.
    mutating func read(
        _ rule: AudienceRule,
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws(StoreError) -> DeviceNumber {
        let reading = try AudienceReading(
            rule,
            app: facts.app,
            now: facts.startedAt,
            budget: budget,
            in: connection
        )
        let columns = AudienceStatement.Columns.recipients(facts.channel, oldest: facts.oldestRegistration)
        if let listed = reading.listed {
            let numbers = try connection.numbers(of: listed, app: facts.app)
            let sql = reading.statement(columns, connection.dialect)
            var last = after
            for number in numbers where number > after && number <= through {
                guard !isFull else { return last }
                _ = try read(sql, connection, after: number.before, through: number)
                last = number
            }
            return through
        }
        var after = after
        while true {
            let (route, end) = try reading.route(after: after, through: through, in: connection)
            if let sql = reading.statement(route, columns, connection.dialect),
                let last = try read(sql, connection, after: after, through: end)
            {
                return last
            }
            guard limit == .max, end < through else { return end }
            after = end
        }
    }

    // MARK: - Statements

    /// - Returns: The last number that was read when there may be more; `nil` at the end of the run.
    private mutating func read(
        _ sql: ComposedSQL,
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws(StoreError) -> DeviceNumber? {
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
    ) throws(StoreError) -> DeviceNumber? {
        let statement = try connection.prepare(facts.channel == .voip ? Self.calls : Self.devices)
        statement.bind(facts.app.rawValue, at: 1)
        statement.bind(after.rawValue, at: 2)
        statement.bind(through.rawValue, at: 3)
        statement.bind(DeviceRecord.TokenState.active.code, at: 4)
        statement.bind(facts.oldestRegistration.rawValue, at: 5)
        statement.bind(Int64(rowLimit), at: 6)
        return try take(statement)
    }

    // The columns are those of `AudienceStatement.Columns.recipients`.

    /// Devices with a token for notifications.
    package static let devices: SQL = """
        SELECT number, push_type, token, consent, language, time_zone
        FROM devices
        WHERE app_id = $1 AND number > $2 AND number <= $3 AND token_state = $4 AND registered_at >= $5
        ORDER BY number LIMIT $6
        """
    /// Devices with a token for calls.
    package static let calls: SQL = """
        SELECT t.device_number, t.push_type, t.token, d.consent, d.language, d.time_zone
        FROM call_tokens t CROSS JOIN devices d
        WHERE t.app_id = $1 AND t.device_number > $2 AND t.device_number <= $3 AND t.state = $4
            AND d.app_id = t.app_id AND d.number = t.device_number AND d.registered_at >= $5
        ORDER BY t.device_number LIMIT $6
        """

    private mutating func take(_ statement: any SQLStatement) throws(StoreError) -> DeviceNumber? {
        defer { statement.reset() }
        var last: Int64 = -1
        var rowCount = 0
        while try statement.next() {
            if isFull { return DeviceNumber(rawValue: last) }
            let number = statement.int64(0)
            last = number
            rowCount += 1
            if let group = facts.rules.group, !group.has(number) { continue }
            if gate != nil, gate?.opens(statement.bytes(5)) == false { continue }
            let code = statement.int64(1)
            if !done.isEmpty, done.contains(Addressee(device: number, pushType: code)) { continue }
            recipients.append(
                number: DeviceNumber(rawValue: number),
                pushType: code == pushTypes.production.code ? pushTypes.production : pushTypes.sandbox,
                consent: ConsentBits(rawValue: UInt8(truncatingIfNeeded: statement.int64(3))),
                language: statement.bytes(4),
                zone: asksZone ? statement.bytes(5) : UnsafeRawBufferPointer(start: nil, count: 0),
                token: statement.bytes(2)
            )
        }
        // With rows left out, the statement may have come to its end before the run did.
        return rowCount == rowLimit ? DeviceNumber(rawValue: last) : nil
    }
}

extension DeviceNumber {
    fileprivate var before: DeviceNumber { DeviceNumber(rawValue: rawValue - 1) }
}

extension SQLConnection {
    /// How the database finds the Devices of a rule, a line for each step.
    ///
    /// Tests hold it against what may be looked at.
    package func plan(
        ofReading rule: AudienceRule,
        app: AppID,
        _ channel: Campaign.Channel
    ) throws(StoreError) -> [String] {
        let reading = try AudienceReading(rule, app: app, now: Timestamp(rawValue: 0), budget: 100, in: self)
        let end = DeviceNumber(rawValue: .max)
        let route = try reading.route(after: DeviceNumber(rawValue: 0), through: end, in: self).route
        let columns = AudienceStatement.Columns.recipients(channel, oldest: Timestamp(rawValue: 0))
        guard let sql = reading.statement(route, columns, dialect) else { return [] }
        guard dialect == .postgreSQL else { return try plan(of: sql) }
        let statement = try prepare(sql.explained)
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
        while try statement.next() { lines.append(statement.string(0)) }
        return lines
    }
}
