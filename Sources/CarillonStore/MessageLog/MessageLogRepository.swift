package import CarillonEngine
import CarillonModel
import CarillonOperatorModel
package import CarillonSQL

/// The message log in SQL, made of deliveries and events.
package struct MessageLogRepository: MessageLogStore {
    /// How many numbers of a Device or User are looked at, latest first.
    static let numberLimit = 64

    let database: any Database
    /// How many firings one read looks at, latest first.
    let window: Int

    /// Joins a database.
    ///
    /// - Parameters:
    ///   - database: Where the tables are.
    ///   - window: How many firings one read looks at.
    package init(database: any Database, window: Int = 1_000) {
        self.database = database
        self.window = window
    }

    package func log(_ query: MessageLogQuery, limit: Int) async throws(StoreError) -> MessageLogPart? {
        try await database.read { [window] connection in
            guard let numbers = try connection.messageLog.numbers(of: query) else { return nil }
            var search = MessageLogSearch(query, numbers: numbers, window: window, limit: limit, connection)
            if let campaign = query.campaign {
                try search.look(through: campaign)
            } else {
                try search.lookThroughApp()
            }
            return try search.part()
        }
    }
}

extension MessageLogTable {
    /// The numbers that the Device, or the User's Devices, have or had; none for everybody; `nil` when nobody is known.
    fileprivate func numbers(of query: MessageLogQuery) throws -> [DeviceNumber]? {
        let limit = MessageLogRepository.numberLimit
        let found: [DeviceNumber]
        switch query.subject {
        case .everybody:
            let isKnown = try query.campaign.map { campaign in
                query.hasUserMessages
                    ? try connection.campaigns.campaign(campaign, within: query.app) != nil
                    : try connection.campaigns.listedCampaign(campaign, within: query.app) != nil
            }
            return isKnown == true ? [] : nil
        case .device(let device):
            found = try connection.all(MessageLogSQL.numbersOfDevice, query.app, device, limit) {
                DeviceNumber(rawValue: $0.int64(0))
            }
        case .user(let user):
            found = try connection.all(MessageLogSQL.numbersOfUser, query.app, user, limit) {
                DeviceNumber(rawValue: $0.int64(0))
            }
        }
        return found.isEmpty ? nil : found
    }
}

/// One read of the log.
private struct MessageLogSearch {
    private struct Row {
        var occurrence: OccurrenceID
        var position: DeliveryPosition
        var outcome: Delivery.Outcome
        var reason: Int64
        var at: Timestamp
    }

    private let query: MessageLogQuery
    private let numbers: [DeviceNumber]
    private let window: Int
    private let limit: Int
    private let connection: any SQLConnection
    private let newest: OccurrenceID
    private var rows: [Row] = []
    /// Where it goes on when the firings were more than one read looks at.
    private var next: MessageLogPosition?

    init(
        _ query: MessageLogQuery,
        numbers: [DeviceNumber],
        window: Int,
        limit: Int,
        _ connection: any SQLConnection
    ) {
        self.query = query
        self.numbers = numbers
        self.window = window
        self.limit = limit
        self.connection = connection
        let end = OccurrenceID(rawValue: query.end.rawValue - 1)
        newest = min(query.after?.occurrence ?? end, end)
    }

    /// Looks at the App's firings, whichever Campaign's they are.
    mutating func lookThroughApp() throws {
        let oldest = try connection.first(
            MessageLogSQL.lastOfApp,
            query.app,
            newest,
            query.first,
            window - 1
        ) { OccurrenceID(rawValue: $0.int64(0)) }
        next = oldest.map { MessageLogPosition(occurrence: $0, row: nil) }
        for number in numbers {
            // A number has at most a row for each push type before the place where the page begins.
            rows += try connection.all(
                MessageLogSQL.ofApp,
                query.app,
                newest,
                oldest ?? query.first,
                window,
                number,
                limit + 1 + PushType.allCases.count,
                read: Self.row
            )
        }
        sortAndTrim()
    }

    /// Looks at the firings of one Campaign.
    mutating func look(through campaign: CampaignID) throws {
        let occurrences = try connection.all(
            MessageLogSQL.ofCampaign,
            query.app,
            campaign,
            newest,
            query.first,
            window
        ) { OccurrenceID(rawValue: $0.int64(0)) }
        if occurrences.count == window, let last = occurrences.last {
            next = MessageLogPosition(occurrence: last, row: nil)
        }
        for occurrence in occurrences where rows.count <= limit {
            try look(at: occurrence)
        }
    }

    /// The rows that were found, with the events of each.
    func part() throws -> MessageLogPart {
        let page = rows.prefix(limit)
        var messages: [LoggedMessage] = []
        for row in page {
            if let message = try message(of: row) { messages.append(message) }
        }
        let isCut = rows.count > limit
        let last = page.last.map { MessageLogPosition(occurrence: $0.occurrence, row: $0.position) }
        return MessageLogPart(rows: messages, next: isCut ? last : next)
    }

    // MARK: - Private

    private mutating func look(at occurrence: OccurrenceID) throws {
        guard case .everybody = query.subject else {
            for number in numbers {
                rows += try connection.all(MessageLogSQL.ofDevice, query.app, occurrence, number, read: Self.row)
            }
            return sortAndTrim()
        }
        let after = query.after.flatMap { $0.occurrence == occurrence ? $0 : nil }
        if let after, after.row == nil { return }
        rows += try connection.all(
            MessageLogSQL.ofEverybody,
            query.app,
            occurrence,
            after?.row?.device.rawValue ?? -1,
            after?.row?.pushType.code ?? 0,
            limit + 1 - rows.count,
            read: Self.row
        )
    }

    /// Puts rows in order, and leaves out those before the place where the page begins.
    private mutating func sortAndTrim() {
        if let after = query.after { rows.removeAll { !after.isBefore($0.occurrence, $0.position) } }
        rows.sort { one, other in
            guard one.occurrence == other.occurrence else { return one.occurrence > other.occurrence }
            return (one.position.device, one.position.pushType.code)
                < (other.position.device, other.position.pushType.code)
        }
    }

    private static func row(_ row: any SQLStatement) throws -> Row {
        guard let pushType = PushType(code: row.int64(2)), let outcome = Delivery.Outcome(code: row.int64(3)) else {
            throw StoreError.failed("A delivery's push type or outcome is not known.")
        }
        return Row(
            occurrence: OccurrenceID(rawValue: row.int64(0)),
            position: DeliveryPosition(device: DeviceNumber(rawValue: row.int64(1)), pushType: pushType),
            outcome: outcome,
            reason: row.int64(4),
            at: Timestamp(rawValue: row.int64(5))
        )
    }

    private func message(of row: Row) throws -> LoggedMessage? {
        let named = try connection.first(
            MessageLogSQL.names,
            query.app,
            row.position.device,
            row.reason,
            row.occurrence
        ) { names -> LoggedMessage? in
            guard query.hasUserMessages || names.int64(3) == CampaignKind.campaign.rawValue else { return nil }
            return LoggedMessage(
                campaign: CampaignID(rawValue: names.int64(0)),
                occurrence: row.occurrence,
                delivery: Delivery(
                    device: names.isNull(1) ? nil : DeviceID(bytes: names.bytes(1)),
                    pushType: row.position.pushType,
                    outcome: row.outcome,
                    reason: names.optionalString(2),
                    at: row.at
                )
            )
        }
        guard var message = named ?? nil else { return nil }
        let events = try connection.all(
            MessageLogSQL.events,
            query.app,
            row.occurrence,
            row.position.device
        ) { (Event.Kind(code: $0.int64(0)), $0.string(1), Timestamp(rawValue: $0.int64(2))) }
        for (kind, action, at) in events { message.note(kind, action, at) }
        message.actions?.sort { ($0.at, $0.action) < ($1.at, $1.action) }
        return message
    }
}

extension LoggedMessage {
    fileprivate mutating func note(_ kind: Event.Kind?, _ action: String, _ at: Timestamp) {
        switch kind {
        case .received: receivedAt = at
        case .opened: openedAt = at
        case .dismissed: dismissedAt = at
        case .launched: launchedAt = at
        case .action: actions = (actions ?? []) + [Action(action: action, at: at)]
        case nil: break
        }
    }
}
