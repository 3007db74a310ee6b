import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// One read of an export.
struct UserExportReading {
    /// How many rows are read at once, about.
    private static let limit = 500

    let user: UserID
    let app: AppID
    let position: UserExportPosition
    let connection: any SQLConnection

    func page() throws -> UserExportPage {
        switch position.section {
        case .profile: return UserExportPage(lines: try profile(), next: position.nextSection)
        case .devices: return try devices()
        case .formerDevices: return try formerDevices()
        case .consents: return try byNumber(consents)
        case .invalidTokens: return try byNumber(invalidTokens)
        case .recentSends: return try byNumber(recentSends)
        case .inbox: return try byNumber(inboxRows)
        case .deviceReads: return try byNumber(deviceReads)
        case .userReads: return try userReads()
        case .recipientValues: return try recipientValues()
        case .deliveries: return try deliveries()
        case .audiences, .campaigns: return UserExportPage(lines: [], next: position.nextSection)
        }
    }

    private func line(_ kind: UserExportLine.Kind, _ device: DeviceID? = nil) -> UserExportLine {
        var line = UserExportLine(kind)
        line.device = device
        return line
    }

    // MARK: The User and their Devices

    private func profile() throws -> [UserExportLine] {
        var first = line(.user)
        first.user = user
        var lines = [first]
        for tag in try connection.users.namedTags(of: user, app: app) {
            var line = line(.tag)
            line.tag = tag
            lines.append(line)
        }
        for (name, value) in try connection.attributes.attributes(of: user, app: app).attributes.sorted(by: {
            $0.key < $1.key
        }) {
            var line = line(.attribute)
            line.attribute = name
            line.value = value
            lines.append(line)
        }
        return lines
    }

    private func devices() throws -> UserExportPage {
        let limit = 100
        let found = try connection.all(UserExportSQL.devices, app, user, position.number, limit) {
            row in try DeviceID.read(row, at: 0)
        }
        var (lines, last): ([UserExportLine], Int64) = ([], position.number)
        for device in found {
            guard let row = try connection.devices.deviceRow(app: app, device: device) else { continue }
            last = row.number.rawValue
            lines += try deviceLines(row)
        }
        let next = found.count == limit ? UserExportPosition(.devices, number: last) : position.nextSection
        return UserExportPage(lines: lines, next: next)
    }

    private func deviceLines(_ row: DeviceRow) throws -> [UserExportLine] {
        var device = line(.device, row.device)
        device.registration = row.registration
        device.registration?.location = nil
        device.consentTimes = row.consentTimes
        device.tokenState = row.tokenState
        device.createdAt = row.createdAt
        device.registeredAt = row.registeredAt
        device.voip =
            try connection.first(UserExportSQL.callToken, app, row.number, read: VoIPRegistration.init(row:)) ?? nil
        guard let location = row.registration.location else { return [device] }
        var place = line(.place, row.device)
        place.location = location
        return [device, place]
    }

    private func formerDevices() throws -> UserExportPage {
        let found = try connection.all(UserExportSQL.formerDevices, app, user, position.number, Self.limit) {
            row in
            var line = line(.formerDevice, try DeviceID.read(row, at: 1))
            line.at = Timestamp(rawValue: row.int64(2))
            return (number: row.int64(0), line: line)
        }
        let next =
            found.count < Self.limit
            ? position.nextSection : found.last.map { UserExportPosition(.formerDevices, number: $0.number) }
        return UserExportPage(lines: found.map(\.line), next: next)
    }

    // MARK: By number

    /// The numbers of the User's Devices, also those that they have no more.
    private func numbers() throws -> [(number: DeviceNumber, device: DeviceID)] {
        try connection.all(UserExportSQL.numbers, app, user) { row in
            (DeviceNumber(rawValue: row.int64(0)), try DeviceID.read(row, at: 1))
        }
    }

    private typealias Rows = [(part: Int64, line: UserExportLine)]

    /// Goes through what lies in the order of Devices, some rows at a time.
    private func byNumber(
        _ read: (DeviceNumber, DeviceID, Int64) throws -> Rows
    ) throws -> UserExportPage {
        var lines: [UserExportLine] = []
        for (number, device) in try numbers() where number.rawValue >= position.number {
            let rows = try read(number, device, number.rawValue == position.number ? position.part : -1)
            lines += rows.map(\.line)
            if rows.count == Self.limit, let last = rows.last {
                let next = UserExportPosition(position.section, number: number.rawValue, part: last.part)
                return UserExportPage(lines: lines, next: next)
            }
            if lines.count >= Self.limit {
                let next = UserExportPosition(position.section, number: number.rawValue + 1)
                return UserExportPage(lines: lines, next: next)
            }
        }
        return UserExportPage(lines: lines, next: position.nextSection)
    }

    private func consents(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        try connection.all(UserExportSQL.consents, app, number, after, Self.limit) { row in
            var line = line(.consent, device)
            line.consent = try ConsentChange(row: row)
            return (row.int64(0), line)
        }
    }

    private func invalidTokens(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        try connection.all(UserExportSQL.invalidTokens, app, number, after, Self.limit) { row in
            var line = line(.invalidToken, device)
            line.invalidToken = try ListedInvalidToken(row: row).entry
            return (row.int64(0), line)
        }
    }

    private func recentSends(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        try connection.all(UserExportSQL.recentSends, app, number, after, Self.limit) { row in
            var line = line(.recentSend, device)
            line.occurrence = OccurrenceID(rawValue: row.int64(0))
            line.at = Timestamp(rawValue: row.int64(1))
            return (row.int64(0), line)
        }
    }

    private func inboxRows(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        try connection.all(UserExportSQL.inboxRows, app, number, user, after, Self.limit) { row in
            var line = line(.inboxMessage, device)
            line.occurrence = OccurrenceID(rawValue: row.int64(0))
            line.campaign = row.optionalInt64(1).map(CampaignID.init(rawValue:))
            if !row.isNull(2) { line.message = try JSONColumn.value(row, at: 2) }
            line.isRead = !row.isNull(4) || !row.isNull(5)
            return (row.int64(0), line)
        }
    }

    private func deviceReads(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        try connection.all(UserExportSQL.deviceReads, app, number, after, Self.limit) { row in
            var line = line(.read, device)
            line.occurrence = OccurrenceID(rawValue: row.int64(0))
            return (row.int64(0), line)
        }
    }

    private func userReads() throws -> UserExportPage {
        let lines = try connection.all(UserExportSQL.userReads, app, user, position.part, Self.limit) { row in
            var line = line(.read)
            line.occurrence = OccurrenceID(rawValue: row.int64(0))
            return line
        }
        let last = lines.last?.occurrence?.rawValue ?? -1
        let next = lines.count < Self.limit ? position.nextSection : UserExportPosition(.userReads, part: last)
        return UserExportPage(lines: lines, next: next)
    }

    private func recipientValues() throws -> UserExportPage {
        let lines = try connection.all(RecipientSQL.ofUser, app, user, position.number, Self.limit) {
            row in
            var line = line(.recipientValues)
            line.campaign = CampaignID(rawValue: row.int64(0))
            line.values = try row.templateValues(1)
            return line
        }
        let last = lines.last?.campaign?.rawValue ?? -1
        let next = lines.count < Self.limit ? position.nextSection : UserExportPosition(.recipientValues, number: last)
        return UserExportPage(lines: lines, next: next)
    }

    // MARK: By Occurrence

    /// Looks through the next Occurrences, as an erasure does.
    private func deliveries() throws -> UserExportPage {
        let devices = Dictionary(try numbers().map { ($0.number, $0.device) }) { first, _ in first }
        guard !devices.isEmpty else { return UserExportPage(lines: [], next: nil) }
        let limit = max(1, Self.limit / devices.count)
        let occurrences = try connection.all(InboxSQL.nextOccurrences, app, position.number, limit) { $0.int64(0) }
        guard let last = occurrences.last else { return UserExportPage(lines: [], next: nil) }
        let dialect = connection.dialect
        let places = SQLList(occurrences, dialect)
        let numbers = SQLList(devices.keys.lazy.map(\.rawValue), dialect)
        var lines: [UserExportLine] = []
        let delivery = dialect.pick(
            sqlite: UserExportSQL.deliveries.sqlite,
            postgreSQL: UserExportSQL.deliveries.postgreSQL
        )
        lines += try connection.all(delivery, places, numbers, app) { row in
            try deliveryLine(row, devices)
        }
        let retry = dialect.pick(sqlite: UserExportSQL.retries.sqlite, postgreSQL: UserExportSQL.retries.postgreSQL)
        lines += try connection.all(retry, places, numbers, app) { row in
            var line = line(.retry, devices[DeviceNumber(rawValue: row.int64(1))])
            line.occurrence = OccurrenceID(rawValue: row.int64(0))
            line.at = Timestamp(rawValue: row.int64(2))
            return line
        }
        let event = dialect.pick(sqlite: UserExportSQL.events.sqlite, postgreSQL: UserExportSQL.events.postgreSQL)
        lines += try connection.all(event, places, numbers, app) { row in
            try eventLine(row, devices)
        }
        let next = occurrences.count < limit ? nil : UserExportPosition(.deliveries, number: last)
        return UserExportPage(lines: try withCampaigns(lines), next: next)
    }

    private func deliveryLine(
        _ row: any SQLStatement,
        _ devices: [DeviceNumber: DeviceID]
    ) throws -> UserExportLine {
        let device = devices[DeviceNumber(rawValue: row.int64(1))]
        guard let outcome = Delivery.Outcome(code: row.int64(3)) else {
            throw StoreError.failed("A delivery's outcome is not known.")
        }
        var line = line(.delivery, device)
        line.occurrence = OccurrenceID(rawValue: row.int64(0))
        line.delivery = Delivery(
            device: device,
            pushType: try .read(row, at: 2),
            outcome: outcome,
            reason: row.optionalString(5),
            at: Timestamp(rawValue: row.int64(4))
        )
        return line
    }

    private func eventLine(
        _ row: any SQLStatement,
        _ devices: [DeviceNumber: DeviceID]
    ) throws -> UserExportLine {
        guard let kind = Event.Kind(code: row.int64(2)) else {
            throw StoreError.failed("An event's kind is not known.")
        }
        var event = UserExportLine.ReportedEvent(kind: kind)
        event.action = row.string(3).isEmpty ? nil : row.string(3)
        event.reply = row.optionalString(5)
        event.latitude = row.isNull(6) ? nil : row.double(6)
        event.longitude = row.isNull(7) ? nil : row.double(7)
        var line = line(.event, devices[DeviceNumber(rawValue: row.int64(1))])
        line.occurrence = OccurrenceID(rawValue: row.int64(0))
        line.at = Timestamp(rawValue: row.int64(4))
        line.event = event
        return line
    }

    /// The same lines with the Campaigns of their Occurrences.
    private func withCampaigns(_ lines: [UserExportLine]) throws -> [UserExportLine] {
        var campaigns: [OccurrenceID: CampaignID] = [:]
        var told = lines
        for index in told.indices {
            guard let occurrence = told[index].occurrence else { continue }
            if campaigns[occurrence] == nil {
                campaigns[occurrence] = try connection.first(UserExportSQL.campaignOfOccurrence, app, occurrence) {
                    CampaignID(rawValue: $0.int64(0))
                }
            }
            told[index].campaign = campaigns[occurrence]
        }
        return told
    }
}
