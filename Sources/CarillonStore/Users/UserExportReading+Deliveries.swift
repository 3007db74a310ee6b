import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What lies by Occurrence: deliveries, retries and events.
extension UserExportReading {
    /// Looks through the next Occurrences, as an erasure does.
    func deliveries() throws -> UserExportPage {
        let devices = Dictionary(try numbers()) { first, _ in first }
        guard !devices.isEmpty else { return UserExportPage(lines: [], next: nil) }
        let limit = max(1, Self.limit / devices.count)
        let occurrences = try connection.all(InboxSQL.nextOccurrences, app, position.number, limit, as: Int64.self)
        guard let last = occurrences.last else { return UserExportPage(lines: [], next: nil) }
        let dialect = connection.dialect
        let places = SQLList(occurrences, dialect)
        let numbers = SQLList(devices.keys.lazy.map(\.rawValue), dialect)
        var lines: [UserExportLine] = []
        let delivery = dialect.pick(
            sqlite: UserExportSQL.deliveries.sqlite,
            postgreSQL: UserExportSQL.deliveries.postgreSQL
        )
        lines += try connection.all(delivery, places, numbers, app) { try deliveryLine($0, devices) }
        let retry = dialect.pick(sqlite: UserExportSQL.retries.sqlite, postgreSQL: UserExportSQL.retries.postgreSQL)
        let retries = try connection.all(retry, places, numbers, app, as: (OccurrenceID, DeviceNumber, Timestamp).self)
        lines += retries.map { line(.retry, devices[$1], of: $0, at: $2) }
        let event = dialect.pick(sqlite: UserExportSQL.events.sqlite, postgreSQL: UserExportSQL.events.postgreSQL)
        lines += try connection.all(event, places, numbers, app) { try eventLine($0, devices) }
        let next = occurrences.count < limit ? nil : UserExportPosition(.deliveries, number: last)
        return UserExportPage(lines: try withCampaigns(lines), next: next)
    }

    private func deliveryLine(
        _ row: SQLRow<ExportedDeliveryColumn>,
        _ devices: [DeviceNumber: DeviceID]
    ) throws -> UserExportLine {
        let device = devices[try row[.deviceNumber]]
        var line = line(.delivery, device, of: try row[.occurrenceID])
        line.delivery = Delivery(
            device: device,
            pushType: try row[.pushType],
            outcome: try row[.outcome],
            reason: try row[.reason],
            at: try row[.at]
        )
        return line
    }

    private func eventLine(
        _ row: SQLRow<EventColumn>,
        _ devices: [DeviceNumber: DeviceID]
    ) throws -> UserExportLine {
        let device = devices[try row[.deviceNumber]]
        var line = line(.event, device, of: try row[.occurrenceID], at: try row[.occurredAt])
        var event = UserExportLine.ReportedEvent(kind: try row[.kind])
        let action: String = try row[.action]
        event.action = action.isEmpty ? nil : action
        event.reply = try row[.reply]
        event.latitude = try row[.latitude]
        event.longitude = try row[.longitude]
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
                campaigns[occurrence] = try connection.first(
                    UserExportSQL.campaignOfOccurrence,
                    app,
                    occurrence,
                    as: CampaignID.self
                )
            }
            told[index].campaign = campaigns[occurrence]
        }
        return told
    }
}
