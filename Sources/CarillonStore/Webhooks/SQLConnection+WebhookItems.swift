import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// One row of `webhook_outbox`.
struct OutboxRow {
    var kind: OutboxKind
    var occurrence: OccurrenceID
    var devices: [UInt8]
    var eventKind: Int64
    var action: String
    var at: Timestamp
}

/// What references refer to, as it is now: what was erased meanwhile is not there.
extension SQLConnection {
    func webhookItems(_ rows: [OutboxRow], app: AppID) throws(StoreError) -> [WebhookItem] {
        var items: [WebhookItem] = []
        var campaigns: [OccurrenceID: CampaignID] = [:]
        for row in rows {
            let known = campaigns[row.occurrence]
            let campaign = if let known { known } else { try self.campaign(of: row.occurrence, app: app) }
            campaigns[row.occurrence] = campaign
            var found: [WebhookItem] = []
            switch row.kind {
            case .deliveries: found = try deliveryItems(row, app)
            case .event: found = try eventItems(row, app)
            case .finished: found = try endItems(row, campaign, app)
            }
            for var item in found {
                item.campaign = campaign
                item.occurrence = row.occurrence
                items.append(item)
            }
        }
        return items
    }

    // MARK: - Private

    private func campaign(of occurrence: OccurrenceID, app: AppID) throws(StoreError) -> CampaignID? {
        try first("SELECT campaign_id FROM occurrences WHERE app_id = $1 AND id = $2", app, occurrence) { row in
            CampaignID(rawValue: row.int64(0))
        }
    }

    private func deliveryItems(_ row: OutboxRow, _ app: AppID) throws(StoreError) -> [WebhookItem] {
        var items: [WebhookItem] = []
        for device in DeviceList.read(row.devices) {
            items += try all(
                """
                SELECT x.outcome, x.push_type, r.reason, COALESCE(d.public_id, f.public_id),
                    COALESCE(d.user_id, f.user_id)
                FROM deliveries x
                LEFT JOIN delivery_reasons r ON r.code = x.reason
                LEFT JOIN devices d ON d.app_id = x.app_id AND d.number = x.device_number
                LEFT JOIN former_device_numbers f ON f.app_id = x.app_id AND f.number = x.device_number
                WHERE x.app_id = $1 AND x.occurrence_id = $2 AND x.device_number = $3 AND x.at = $4
                """,
                app,
                row.occurrence,
                device,
                row.at
            ) { found throws(StoreError) in
                guard let outcome = Delivery.Outcome(code: found.int64(0)) else {
                    throw .failed("A delivery's outcome is not known.")
                }
                var item = WebhookItem(outcome.topic, at: row.at)
                item.pushType = PushType(code: found.int64(1))
                item.reason = found.optionalString(2)
                item.device = found.isNull(3) ? nil : DeviceID(bytes: found.bytes(3))
                item.user = found.optionalString(4).flatMap(UserID.init(rawValue:))
                return item
            }
        }
        return items
    }

    private func eventItems(_ row: OutboxRow, _ app: AppID) throws(StoreError) -> [WebhookItem] {
        guard let device = DeviceList.read(row.devices).first, let kind = Event.Kind(code: row.eventKind) else {
            return []
        }
        return try all(
            """
            SELECT e.occurred_at, e.reply, COALESCE(d.public_id, f.public_id), COALESCE(d.user_id, f.user_id)
            FROM events e
            LEFT JOIN devices d ON d.app_id = e.app_id AND d.number = e.device_number
            LEFT JOIN former_device_numbers f ON f.app_id = e.app_id AND f.number = e.device_number
            WHERE e.app_id = $1 AND e.occurrence_id = $2 AND e.device_number = $3 AND e.kind = $4 AND e.action = $5
            """,
            app,
            row.occurrence,
            device,
            row.eventKind,
            row.action
        ) { found in
            var item = WebhookItem(kind.topic, at: Timestamp(rawValue: found.int64(0)))
            item.action = row.action.isEmpty ? nil : row.action
            item.reply = found.optionalString(1)
            item.device = found.isNull(2) ? nil : DeviceID(bytes: found.bytes(2))
            item.user = found.optionalString(3).flatMap(UserID.init(rawValue:))
            return item
        }
    }

    private func endItems(
        _ row: OutboxRow,
        _ campaign: CampaignID?,
        _ app: AppID
    ) throws(StoreError) -> [WebhookItem] {
        let state = try first(
            "SELECT state FROM occurrences WHERE app_id = $1 AND id = $2",
            app,
            row.occurrence
        ) { $0.string(0) }
        guard campaign != nil, let state else { return [] }
        var item = WebhookItem(.campaignFinished, at: row.at)
        item.state = state
        item.figures = try funnel(of: row.occurrence, app: app)
        return [item]
    }
}

extension Delivery.Outcome {
    fileprivate var topic: WebhookTopic {
        switch self {
        case .accepted: .deliveryAccepted
        case .failed, .expired: .deliveryFailed
        case .skipped: .deliverySkipped
        }
    }
}

extension Event.Kind {
    fileprivate var topic: WebhookTopic {
        switch self {
        case .received: .eventReceived
        case .opened: .eventOpened
        case .dismissed: .eventDismissed
        case .launched: .eventLaunched
        case .action: .eventAction
        }
    }
}
