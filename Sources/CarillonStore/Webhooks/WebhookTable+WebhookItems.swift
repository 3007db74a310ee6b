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
                    SELECT \(ToldOccurrenceColumn.list(of: "o")) FROM occurrences o
                    WHERE o.app_id = $1 AND o.id IN (SELECT value FROM json_each($2))
                    """,
                postgreSQL: """
                    SELECT \(ToldOccurrenceColumn.list(of: "o")) FROM occurrences o
                    WHERE o.app_id = $1
                        AND o.id = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST($2 AS JSON))))
                    """
            ),
            app,
            try JSONText.encode(ids.map(\.rawValue))
        ) { (row: SQLRow<ToldOccurrenceColumn>) in
            (
                try row[.id] as OccurrenceID,
                ToldOccurrence(
                    campaign: try row[.campaignID],
                    state: try row[.state],
                    isUserMessage: (try row[.kind] as Int64?) == CampaignKind.userMessage.rawValue
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
                    SELECT \(DeliveryItemColumn.list(through: .at)), json_extract(q.value, '$.i')
                    FROM json_each($1) q
                    CROSS JOIN deliveries x ON x.app_id = $2 AND x.occurrence_id = json_extract(q.value, '$.o')
                        AND x.device_number = json_extract(q.value, '$.d') AND x.at = json_extract(q.value, '$.t')
                    LEFT JOIN delivery_reasons r ON r.code = x.reason
                    LEFT JOIN devices d ON d.app_id = $2 AND d.number = x.device_number
                    LEFT JOIN former_device_numbers f ON f.app_id = $2 AND f.number = x.device_number
                    ORDER BY q.key, x.push_type
                    """,
                postgreSQL: """
                    SELECT \(DeliveryItemColumn.list(through: .at)), CAST(q.value->>'i' AS BIGINT)
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
        ) { (row: SQLRow<DeliveryItemColumn>) -> (Int, WebhookItem) in
            let outcome: Delivery.Outcome = try row[.outcome]
            var item = WebhookItem(outcome.topic, at: try row[.at])
            item.pushType = PushType(code: try row[.pushType])
            item.reason = try row[.reason]
            item.device = try row[.publicID]
            item.user = (try row[.userID] as String?).flatMap(UserID.init(rawValue:))
            return (try row[.index], item)
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
                    SELECT \(EventItemColumn.list(through: .userID)), json_extract(q.value, '$.i')
                    FROM json_each($1) q
                    CROSS JOIN events e ON e.app_id = $2 AND e.occurrence_id = json_extract(q.value, '$.o')
                        AND e.device_number = json_extract(q.value, '$.d') AND e.kind = json_extract(q.value, '$.k')
                        AND e.action = json_extract(q.value, '$.a')
                    LEFT JOIN devices d ON d.app_id = $2 AND d.number = e.device_number
                    LEFT JOIN former_device_numbers f ON f.app_id = $2 AND f.number = e.device_number
                    """,
                postgreSQL: """
                    SELECT \(EventItemColumn.list(through: .userID)), CAST(q.value->>'i' AS BIGINT)
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
        ) { (row: SQLRow<EventItemColumn>) -> (Int, WebhookItem)? in
            let index: Int = try row[.index]
            let key = rows[index]
            guard let kind = Event.Kind(code: key.eventKind) else { return nil }
            var item = WebhookItem(kind.topic, at: try row[.occurredAt])
            item.action = key.action.isEmpty ? nil : key.action
            item.reply = try row[.reply]
            item.device = try row[.publicID]
            item.user = (try row[.userID] as String?).flatMap(UserID.init(rawValue:))
            return (index, item)
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

private enum ToldOccurrenceColumn: Int, SQLColumn {
    case id, campaignID, state, kind

    var sql: String {
        self == .kind ? "(SELECT kind FROM campaigns c WHERE c.app_id = $1 AND c.id = o.campaign_id LIMIT 1)" : name
    }
}

/// The columns of a delivery; the statements themselves have the row's index.
private enum DeliveryItemColumn: Int, SQLColumn {
    case outcome, pushType, reason, publicID, userID, at, index

    var sql: String {
        switch self {
        case .outcome, .pushType, .at: "x.\(name)"
        case .reason: "r.reason"
        case .publicID, .userID: "COALESCE(d.\(name), f.\(name))"
        case .index: name
        }
    }
}

/// The columns of an event; the statements themselves have the row's index.
private enum EventItemColumn: Int, SQLColumn {
    case occurredAt, reply, publicID, userID, index

    var sql: String {
        switch self {
        case .occurredAt, .reply: "e.\(name)"
        case .publicID, .userID: "COALESCE(d.\(name), f.\(name))"
        case .index: name
        }
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
