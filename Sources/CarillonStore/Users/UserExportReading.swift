import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// One read of an export.
struct UserExportReading {
    /// How many rows are read at once, about.
    static let limit = 500

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

    /// A line about a Device or an Occurrence.
    func line(
        _ kind: UserExportLine.Kind,
        _ device: DeviceID? = nil,
        of occurrence: OccurrenceID? = nil,
        at: Timestamp? = nil
    ) -> UserExportLine {
        var line = UserExportLine(kind)
        (line.device, line.occurrence, line.at) = (device, occurrence, at)
        return line
    }

    // MARK: The User and their Devices

    private func profile() throws -> [UserExportLine] {
        var first = line(.user)
        first.user = user
        var lines = [first]
        if let account = try connection.accounts.account(of: user, app: app) {
            var line = line(.account)
            line.account = account.record
            lines.append(line)
        }
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
        return try lines + follows() + attachments()
    }

    private func attachments() throws -> [UserExportLine] {
        try connection.contentAttachments.attachments(of: user, app: app).map { attachment in
            var line = line(.contentAttachment, at: attachment.createdAt)
            line.name = attachment.name
            line.value = attachment.exported
            return line
        }
    }

    private func follows() throws -> [UserExportLine] {
        try connection.contentFollows.follows(of: user, app: app).map { follow in
            var line = line(.contentFollow, at: follow.createdAt)
            line.name = follow.name
            line.value = follow.exported
            return line
        }
    }

    private func devices() throws -> UserExportPage {
        let limit = 100
        let found = try connection.all(UserExportSQL.devices, app, user, position.number, limit, as: DeviceID.self)
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
        device.registration?.badge = try connection.badges.count(of: row.number, app: app)
        device.consentTimes = row.consentTimes
        device.tokenState = row.tokenState
        device.createdAt = row.createdAt
        device.registeredAt = row.registeredAt
        device.voip =
            try connection.first(UserExportSQL.callToken, app, row.number, read: VoIPRegistration.init(row:)) ?? nil
        device.vendorDeviceID = try connection.first(
            "SELECT vendor_id FROM vendor_device_ids WHERE app_id = $1 AND public_id = $2",
            app,
            row.device,
            as: String.self
        )
        guard let location = row.registration.location else { return [device] }
        var place = line(.place, row.device)
        place.location = location
        return [device, place]
    }

    private func formerDevices() throws -> UserExportPage {
        let found = try connection.all(
            UserExportSQL.formerDevices,
            app,
            user,
            position.number,
            Self.limit,
            as: (Int64, DeviceID, Timestamp).self
        )
        let next =
            found.count < Self.limit
            ? position.nextSection : found.last.map { UserExportPosition(.formerDevices, number: $0.0) }
        return UserExportPage(lines: found.map { line(.formerDevice, $0.1, at: $0.2) }, next: next)
    }

    // MARK: By number

    /// The numbers of the User's Devices, also those that they have no more.
    func numbers() throws -> [(DeviceNumber, DeviceID)] {
        try connection.all(UserExportSQL.numbers, app, user, as: (DeviceNumber, DeviceID).self)
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
            let change = try ConsentChange(row: row)
            var line = line(.consent, device)
            line.consent = change
            return (change.at.rawValue, line)
        }
    }

    private func invalidTokens(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        try connection.all(UserExportSQL.invalidTokens, app, number, after, Self.limit) { row in
            let token = try ListedInvalidToken(row: row).entry
            var line = line(.invalidToken, device)
            line.invalidToken = token
            return (token.at.rawValue, line)
        }
    }

    private func recentSends(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        let sql = UserExportSQL.recentSends
        let rows = try connection.all(sql, app, number, after, Self.limit, as: (OccurrenceID, Timestamp).self)
        return rows.map { ($0.rawValue, line(.recentSend, device, of: $0, at: $1)) }
    }

    private func inboxRows(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        try connection.all(
            UserExportSQL.inboxRows,
            app,
            number,
            user,
            after,
            Self.limit,
            as: (OccurrenceID, CampaignID?, JSONColumn<Message>?, Bool?).self
        ).map { occurrence, campaign, message, isRead in
            var line = line(.inboxMessage, device, of: occurrence)
            (line.campaign, line.message, line.isRead) = (campaign, message?.value, isRead ?? false)
            return (occurrence.rawValue, line)
        }
    }

    private func deviceReads(_ number: DeviceNumber, _ device: DeviceID, after: Int64) throws -> Rows {
        let read = try connection.all(UserExportSQL.deviceReads, app, number, after, Self.limit, as: OccurrenceID.self)
        return read.map { ($0.rawValue, line(.read, device, of: $0)) }
    }

    private func userReads() throws -> UserExportPage {
        let sql = UserExportSQL.userReads
        let read = try connection.all(sql, app, user, position.part, Self.limit, as: OccurrenceID.self)
        let last = read.last?.rawValue ?? -1
        let next = read.count < Self.limit ? position.nextSection : UserExportPosition(.userReads, part: last)
        return UserExportPage(lines: read.map { line(.read, of: $0) }, next: next)
    }

    private func recipientValues() throws -> UserExportPage {
        let rows = try connection.all(
            RecipientSQL.ofUser,
            app,
            user,
            position.number,
            Self.limit,
            as: (Int64, CampaignID, JSONColumn<TemplateValues>).self
        )
        let lines = rows.map { _, campaign, values in
            var line = line(.recipientValues)
            (line.campaign, line.values) = (campaign, values.value)
            return line
        }
        let last = rows.last?.0 ?? -1
        let next = lines.count < Self.limit ? position.nextSection : UserExportPosition(.recipientValues, number: last)
        return UserExportPage(lines: lines, next: next)
    }
}
