import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation

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
///
/// However many rows a message has, as many statements look up what it tells.
extension WebhookTable {
    func webhookItems(_ rows: [OutboxRow], app: AppID) throws -> [WebhookItem] {
        let occurrences = try toldOccurrences(rows, app)
        let ended = Set(rows.lazy.filter { $0.kind == .finished }.map(\.occurrence))
        let figures = ended.isEmpty ? [:] : try funnels(of: Array(ended), app: app)
        let found = [try deliveryItems(rows, app), try eventItems(rows, app)]
        var items: [WebhookItem] = []
        for (index, row) in rows.enumerated() {
            if row.kind == .halted {
                items.append(WebhookItem(haltedBy: row))
                continue
            }
            let occurrence = occurrences[row.occurrence]
            // What people write to each other is told to nobody else.
            guard occurrence?.isUserMessage != true else { continue }
            var told = found.flatMap { $0[index] ?? [] }
            if row.kind == .finished, let occurrence {
                var item = WebhookItem(.campaignFinished, at: row.at)
                item.state = occurrence.state
                item.figures = figures[row.occurrence] ?? Funnel()
                told = [item]
            }
            for var item in told {
                item.campaign = occurrence?.campaign
                item.occurrence = row.occurrence
                items.append(item)
            }
        }
        return items
    }

    // MARK: - Private

    private func toldOccurrences(_ rows: [OutboxRow], _ app: AppID) throws -> [OccurrenceID: ToldOccurrence] {
        let ids = Set(rows.lazy.filter { $0.kind != .halted }.map(\.occurrence))
        guard !ids.isEmpty else { return [:] }
        let found = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT o.id, o.campaign_id, o.state,
                        COALESCE((SELECT kind FROM campaigns c WHERE c.app_id = $1 AND c.id = o.campaign_id), 0)
                    FROM occurrences o
                    WHERE o.app_id = $1 AND o.id IN (SELECT value FROM json_each($2))
                    """,
                postgreSQL: """
                    SELECT o.id, o.campaign_id, o.state, COALESCE(
                        (SELECT kind FROM campaigns c WHERE c.app_id = $1 AND c.id = o.campaign_id LIMIT 1), 0)
                    FROM occurrences o
                    WHERE o.app_id = $1
                        AND o.id = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST($2 AS JSON))))
                    """
            ),
            app,
            try JSONText.encode(ids.map(\.rawValue))
        ) { row in
            (
                OccurrenceID(rawValue: row.int64(0)),
                ToldOccurrence(
                    campaign: CampaignID(rawValue: row.int64(1)),
                    state: row.string(2),
                    isUserMessage: row.int64(3) == CampaignKind.userMessage.rawValue
                )
            )
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    /// Items of rows that tell of deliveries, by the row's index.
    private func deliveryItems(_ rows: [OutboxRow], _ app: AppID) throws -> [Int: [WebhookItem]] {
        let keys: [LookUpKey] = rows.enumerated().flatMap { index, row in
            row.kind == .deliveries
                ? DeviceList.read(row.devices).map { LookUpKey(index, row.occurrence, $0, at: row.at) } : []
        }
        guard !keys.isEmpty else { return [:] }
        let found = try connection.all(
            connection.dialect.pick(
                // The order of the join is fixed: the keys lead to the rows.
                sqlite: """
                    SELECT json_extract(q.value, '$.i'), x.outcome, x.push_type, r.reason,
                        COALESCE(d.public_id, f.public_id), COALESCE(d.user_id, f.user_id), x.at
                    FROM json_each($1) q
                    CROSS JOIN deliveries x ON x.app_id = $2 AND x.occurrence_id = json_extract(q.value, '$.o')
                        AND x.device_number = json_extract(q.value, '$.d') AND x.at = json_extract(q.value, '$.t')
                    LEFT JOIN delivery_reasons r ON r.code = x.reason
                    LEFT JOIN devices d ON d.app_id = $2 AND d.number = x.device_number
                    LEFT JOIN former_device_numbers f ON f.app_id = $2 AND f.number = x.device_number
                    ORDER BY q.key, x.push_type
                    """,
                postgreSQL: """
                    SELECT CAST(q.value->>'i' AS BIGINT), x.outcome, x.push_type, r.reason,
                        COALESCE(d.public_id, f.public_id), COALESCE(d.user_id, f.user_id), x.at
                    FROM json_array_elements(CAST($1 AS JSON)) WITH ORDINALITY AS q (value, key)
                    CROSS JOIN LATERAL (
                        SELECT * FROM deliveries y WHERE y.app_id = $2
                            AND y.occurrence_id = CAST(q.value->>'o' AS BIGINT)
                            AND y.device_number = CAST(q.value->>'d' AS BIGINT)
                            AND y.at = CAST(q.value->>'t' AS BIGINT)
                        LIMIT 100) x
                    LEFT JOIN LATERAL (SELECT * FROM delivery_reasons y WHERE y.code = x.reason LIMIT 1) r ON TRUE
                    LEFT JOIN LATERAL (
                        SELECT * FROM devices y WHERE y.app_id = $2 AND y.number = x.device_number LIMIT 1) d ON TRUE
                    LEFT JOIN LATERAL (
                        SELECT * FROM former_device_numbers y WHERE y.app_id = $2 AND y.number = x.device_number
                        LIMIT 1) f ON TRUE
                    ORDER BY q.key, x.push_type
                    """
            ),
            try JSONText.encode(keys),
            app
        ) { row throws -> (Int, WebhookItem) in
            guard let outcome = Delivery.Outcome(code: row.int64(1)) else {
                throw StoreError.failed("A delivery's outcome is not known.")
            }
            var item = WebhookItem(outcome.topic, at: Timestamp(rawValue: row.int64(6)))
            item.pushType = PushType(code: row.int64(2))
            item.reason = row.optionalString(3)
            item.device = row.isNull(4) ? nil : DeviceID(bytes: row.bytes(4))
            item.user = row.optionalString(5).flatMap(UserID.init(rawValue:))
            return (row.int(0), item)
        }
        return Dictionary(grouping: found, by: \.0).mapValues { $0.map(\.1) }
    }

    /// Items of rows that tell of events, by the row's index.
    private func eventItems(_ rows: [OutboxRow], _ app: AppID) throws -> [Int: [WebhookItem]] {
        let keys: [LookUpKey] = rows.enumerated().compactMap { index, row in
            row.kind == .event
                ? DeviceList.read(row.devices).first.map {
                    LookUpKey(index, row.occurrence, $0, kind: row.eventKind, action: row.action)
                } : nil
        }
        guard !keys.isEmpty else { return [:] }
        let found = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT json_extract(q.value, '$.i'), e.occurred_at, e.reply, COALESCE(d.public_id, f.public_id),
                        COALESCE(d.user_id, f.user_id)
                    FROM json_each($1) q
                    CROSS JOIN events e ON e.app_id = $2 AND e.occurrence_id = json_extract(q.value, '$.o')
                        AND e.device_number = json_extract(q.value, '$.d') AND e.kind = json_extract(q.value, '$.k')
                        AND e.action = json_extract(q.value, '$.a')
                    LEFT JOIN devices d ON d.app_id = $2 AND d.number = e.device_number
                    LEFT JOIN former_device_numbers f ON f.app_id = $2 AND f.number = e.device_number
                    """,
                postgreSQL: """
                    SELECT CAST(q.value->>'i' AS BIGINT), e.occurred_at, e.reply, COALESCE(d.public_id, f.public_id),
                        COALESCE(d.user_id, f.user_id)
                    FROM json_array_elements(CAST($1 AS JSON)) AS q (value)
                    CROSS JOIN LATERAL (
                        SELECT * FROM events y WHERE y.app_id = $2
                            AND y.occurrence_id = CAST(q.value->>'o' AS BIGINT)
                            AND y.device_number = CAST(q.value->>'d' AS BIGINT)
                            AND y.kind = CAST(q.value->>'k' AS BIGINT) AND y.action = q.value->>'a'
                        LIMIT 1) e
                    LEFT JOIN LATERAL (
                        SELECT * FROM devices y WHERE y.app_id = $2 AND y.number = e.device_number LIMIT 1) d ON TRUE
                    LEFT JOIN LATERAL (
                        SELECT * FROM former_device_numbers y WHERE y.app_id = $2 AND y.number = e.device_number
                        LIMIT 1) f ON TRUE
                    """
            ),
            try JSONText.encode(keys),
            app
        ) { row throws -> (Int, WebhookItem)? in
            let key = rows[row.int(0)]
            guard let kind = Event.Kind(code: key.eventKind) else { return nil }
            var item = WebhookItem(kind.topic, at: Timestamp(rawValue: row.int64(1)))
            item.action = key.action.isEmpty ? nil : key.action
            item.reply = row.optionalString(2)
            item.device = row.isNull(3) ? nil : DeviceID(bytes: row.bytes(3))
            item.user = row.optionalString(4).flatMap(UserID.init(rawValue:))
            return (row.int(0), item)
        }.compactMap(\.self)
        return Dictionary(grouping: found, by: \.0).mapValues { $0.map(\.1) }
    }
}

extension WebhookItem {
    /// What a row tells of a Campaign that the server paused.
    fileprivate init(haltedBy row: OutboxRow) {
        self.init(.campaignHalted, at: row.at)
        campaign = CampaignID(rawValue: row.occurrence.rawValue)
        state = Campaign.State.paused.rawValue
        reason = row.action
    }
}

/// An Occurrence that rows tell of.
private struct ToldOccurrence {
    var campaign: CampaignID
    var state: String
    var isUserMessage: Bool
}

/// What leads from a row of the outbox to what it tells of.
private struct LookUpKey: Encodable {
    /// The row's index.
    var i: Int
    var o: Int64
    var d: Int64
    /// A delivery's time.
    var t: Int64?
    /// An event's kind and action.
    var k: Int64?
    var a: String?

    init(_ index: Int, _ occurrence: OccurrenceID, _ device: DeviceNumber, at time: Timestamp) {
        (i, o, d, t) = (index, occurrence.rawValue, device.rawValue, time.rawValue)
    }

    init(_ index: Int, _ occurrence: OccurrenceID, _ device: DeviceNumber, kind: Int64, action: String) {
        (i, o, d, k, a) = (index, occurrence.rawValue, device.rawValue, kind, action)
    }
}

/// Many values as one that is bound.
enum JSONText {
    static func encode(_ values: some Encodable) throws -> String {
        guard let data = try? JSONEncoder().encode(values) else {
            throw StoreError.failed("Keys cannot be written as JSON.")
        }
        return String(decoding: data, as: UTF8.self)
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
