import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Gathers rows of Devices that an Audience matches, with or without a token.
struct CandidateReader {
    private(set) var recipients = Recipients()
    private(set) var owners: [UInt64] = []
    private let facts: OccurrenceFacts
    private let pushTypes: (production: PushType, sandbox: PushType)
    private static let owner = RecipientColumn.allCases.count

    init(_ facts: OccurrenceFacts) {
        self.facts = facts
        pushTypes = facts.channel.pushTypes
    }

    /// Reads as many as may be looked at.
    ///
    /// - Returns: The last number that was looked at.
    mutating func read(
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws -> DeviceNumber {
        let rule: AudienceRule? = if case .rule(let rule) = facts.audience { rule } else { nil }
        let list = AudienceList(facts.audience)
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
        try take(sql, connection, after: after, through: end)
        return end
    }

    // MARK: - Private

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
        try take(sql, connection, after: after, through: end)
        return end
    }

    private var columns: AudienceStatement.Columns {
        .candidates(facts.channel, oldest: facts.oldestRegistration)
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
            budget: AudienceReading.usualBudget,
            users: users,
            in: connection
        )
    }

    private mutating func take(
        _ sql: ComposedSQL,
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws {
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        sql.bind(to: statement) { slot in
            switch slot {
            case .app: facts.app.rawValue
            case .after: after.rawValue
            case .through: through.rawValue
            case .limit: through.rawValue - after.rawValue
            }
        }
        while try statement.next() {
            let code = statement.int64(RecipientColumn.pushType.rawValue)
            recipients.append(
                number: DeviceNumber(rawValue: statement.int64(RecipientColumn.number.rawValue)),
                pushType: code == pushTypes.production.code ? pushTypes.production : pushTypes.sandbox,
                consent: .read(statement, at: RecipientColumn.consent.rawValue),
                language: statement.bytes(RecipientColumn.language.rawValue),
                zone: statement.bytes(RecipientColumn.timeZone.rawValue),
                token: statement.bytes(RecipientColumn.token.rawValue),
                isUnconfirmed: !statement.isNull(RecipientColumn.tokenUnconfirmed.rawValue)
            )
            owners.append(Self.hash(statement.bytes(Self.owner)))
        }
    }

    /// FNV-1a; 0 for none.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard !bytes.isEmpty else { return 0 }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return max(1, hash)
    }
}
