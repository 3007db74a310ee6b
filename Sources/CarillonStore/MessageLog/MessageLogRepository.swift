package import CarillonEngine
import CarillonModel
import CarillonOperatorModel
package import CarillonSQL

/// The message log in SQL, made of deliveries and events.
package struct MessageLogRepository: MessageLogStore {
    /// How many numbers of a Device or User are looked at, latest first.
    static let numberLimit = 64
    /// How many deliveries of a firing one read looks at for failures.
    static let failureWindow = 20_000
    /// How many firings with failures one read looks at.
    static let failedFirings = 50

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
            } else if query.subject == .everybody {
                try search.lookForFailures()
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
            if query.campaign == nil, query.isAboutFailures { return [] }
            let isKnown = try query.campaign.map { campaign in
                query.hasUserMessages
                    ? try connection.campaigns.campaign(campaign, within: query.app) != nil
                    : try connection.campaigns.listedCampaign(campaign, within: query.app) != nil
            }
            return isKnown == true ? [] : nil
        case .device(let device):
            found = try connection.all(MessageLogSQL.numbersOfDevice, query.app, device, limit, as: DeviceNumber.self)
        case .user(let user):
            found = try connection.all(MessageLogSQL.numbersOfUser, query.app, user, limit, as: DeviceNumber.self)
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

        init(row: SQLRow<LoggedDeliveryColumn>) throws {
            occurrence = try row[.occurrenceID]
            position = DeliveryPosition(device: try row[.deviceNumber], pushType: try row[.pushType])
            outcome = try row[.outcome]
            reason = try row[.reason]
            at = try row[.at]
        }
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
    /// Whether all deliveries were looked at that one read may look at for failures.
    private var isWindowRead = false

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
        let oldest = try lastOfWindow()
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
                read: Row.init(row:)
            )
        }
        sortAndTrim()
    }

    /// Looks at the failures of the App's firings, whichever Campaign's they are; counts tell which firings have any.
    mutating func lookForFailures() throws {
        let oldest = try lastOfWindow()
        let failed = MessageLogRepository.failedFirings
        let occurrences = try connection.all(
            MessageLogSQL.failedOfApp,
            query.app,
            newest,
            oldest ?? query.first,
            failed,
            as: OccurrenceID.self
        )
        if occurrences.count == failed, let last = occurrences.last {
            next = MessageLogPosition(occurrence: last, row: nil)
        }
        for occurrence in occurrences where rows.count <= limit {
            try look(at: occurrence)
            guard !isWindowRead else { return }
        }
    }

    /// The oldest firing of the App that this read looks at, after which the next one goes on; `nil` when it looks at all.
    private mutating func lastOfWindow() throws -> OccurrenceID? {
        let oldest = try connection.first(
            MessageLogSQL.lastOfApp,
            query.app,
            newest,
            query.first,
            window - 1,
            as: OccurrenceID.self
        )
        next = oldest.map { MessageLogPosition(occurrence: $0, row: nil) }
        return oldest
    }

    /// Looks at the firings of one Campaign.
    mutating func look(through campaign: CampaignID) throws {
        let occurrences = try connection.all(
            MessageLogSQL.ofCampaign,
            query.app,
            campaign,
            newest,
            query.first,
            window,
            as: OccurrenceID.self
        )
        if occurrences.count == window, let last = occurrences.last {
            next = MessageLogPosition(occurrence: last, row: nil)
        }
        for occurrence in occurrences where rows.count <= limit {
            try look(at: occurrence)
            guard !isWindowRead else { return }
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
                rows += try connection.all(MessageLogSQL.ofDevice, query.app, occurrence, number, read: Row.init(row:))
            }
            return sortAndTrim()
        }
        let after = query.after.flatMap { $0.occurrence == occurrence ? $0 : nil }
        if let after, after.row == nil { return }
        guard !query.isAboutFailures else { return try lookForFailures(at: occurrence, after: after?.row) }
        rows += try connection.all(
            MessageLogSQL.ofEverybody,
            query.app,
            occurrence,
            after?.row?.device.rawValue ?? -1,
            after?.row?.pushType.code ?? 0,
            limit + 1 - rows.count,
            read: Row.init(row:)
        )
    }

    private mutating func lookForFailures(at occurrence: OccurrenceID, after row: DeliveryPosition?) throws {
        let (device, type) = (row?.device.rawValue ?? -1, row?.pushType.code ?? 0)
        let end = try connection.first(
            MessageLogSQL.windowEnd,
            query.app,
            occurrence,
            device,
            type,
            MessageLogRepository.failureWindow - 1,
            as: (DeviceNumber, PushType).self
        )
        rows += try connection.all(
            MessageLogSQL.failures,
            query.app,
            occurrence,
            device,
            type,
            end?.0.rawValue ?? .max,
            // PostgreSQL has push types as small integers.
            end?.1.code ?? Int64(Int16.max),
            limit + 1 - rows.count,
            read: Row.init(row:)
        )
        guard let end else { return }
        isWindowRead = true
        next = MessageLogPosition(occurrence: occurrence, row: DeliveryPosition(device: end.0, pushType: end.1))
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

    private func message(of row: Row) throws -> LoggedMessage? {
        let (app, occurrence, position) = (query.app, row.occurrence, row.position)
        let names = try connection.first(
            MessageLogSQL.names,
            app,
            position.device,
            row.reason,
            occurrence,
            as: (CampaignID, DeviceID?, String?, Int64).self
        )
        guard let (campaign, device, reason, kind) = names,
            query.hasUserMessages || kind == CampaignKind.campaign.rawValue
        else { return nil }
        let (pushType, outcome) = (position.pushType, row.outcome)
        var message = LoggedMessage(
            campaign: campaign,
            occurrence: occurrence,
            delivery: Delivery(device: device, pushType: pushType, outcome: outcome, reason: reason, at: row.at)
        )
        let sql = MessageLogSQL.events
        let events = try connection.all(sql, app, occurrence, position.device, as: (Int64, String, Timestamp).self)
        for (kind, action, at) in events { message.note(Event.Kind(code: kind), action, at) }
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
