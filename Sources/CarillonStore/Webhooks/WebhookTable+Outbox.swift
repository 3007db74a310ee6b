import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension WebhookID: SQLBindable, SQLReadable {}
extension WebhookMessageID: SQLBindable, SQLReadable {}
extension WebhookTopics: SQLBindable, SQLReadable {}

/// The columns of `webhook_outbox`; a new row has no `message_id`.
enum OutboxColumn: Int, SQLColumn {
    case kind, occurrenceID, devices, eventKind, action, at
    // These find the row and say how much it is.
    case appID, webhookID, id, count
    /// When it began to wait, by the server's clock.
    case notedAt
}

/// What a row of `webhook_outbox` refers to.
enum OutboxKind: Int64, SQLBindable, SQLReadable {
    case deliveries = 1
    case event = 2
    case finished = 3
    /// The row's `occurrence_id` is the Campaign's id, which may have no Occurrence yet; its `action` is the alarm.
    case halted = 4
}

/// What became of a commit's notifications, gathered for the webhooks that want to know; where there are none, nothing
/// is gathered.
struct WebhookNotes {
    private let webhooks: [(WebhookID, WebhookTopics)]
    private var rows: [ChunkCommit.Row] = []

    init(of app: AppID, _ connection: any SQLConnection) throws {
        webhooks = try connection.webhooks.webhooks(of: app, wanting: .deliveries)
    }

    /// Enters a row that is new.
    mutating func add(_ row: ChunkCommit.Row) {
        guard !webhooks.isEmpty else { return }
        rows.append(row)
    }

    /// Notes them.
    ///
    /// - Parameters:
    ///   - connection: In the transaction that wrote them.
    ///   - key: Whose.
    ///   - time: That of the rows.
    /// - Throws: ``StoreError``.
    func write(to connection: any SQLConnection, of key: ChunkKey, at time: Timestamp) throws {
        for (webhook, topics) in webhooks {
            let devices = rows.compactMap { row in
                topics.isDisjoint(with: row.outcome.topics) ? nil : row.device.rawValue
            }
            guard !devices.isEmpty else { continue }
            try connection.webhooks.note(
                .deliveries,
                for: webhook,
                key.app,
                key.occurrence,
                devices: DeviceList.write(devices),
                count: devices.count,
                at: time
            )
        }
    }
}

/// What happened is noted for webhooks in the transaction in which it happens. For an App without webhooks that is one
/// look at an index that has nothing of it.
extension WebhookTable {
    /// Notes what phones reported.
    ///
    /// - Parameters:
    ///   - events: The events, with the phones' times.
    ///   - app: Their App.
    ///   - now: The wall clock.
    /// - Throws: ``StoreError``.
    func noteEvents(_ events: [EventRow], app: AppID, at now: Timestamp) throws {
        guard !events.isEmpty else { return }
        for (webhook, topics) in try webhooks(of: app, wanting: .events) {
            for event in events where topics.contains(event.kind.topic) {
                try note(
                    .event,
                    for: webhook,
                    app,
                    event.occurrence,
                    devices: DeviceList.write([event.device.rawValue]),
                    eventKind: event.kind.code,
                    action: event.action,
                    at: event.at,
                    notedAt: now
                )
            }
        }
    }

    /// Notes that an Occurrence is over.
    func noteEnd(of occurrence: OccurrenceID, app: AppID, at time: Timestamp) throws {
        for (webhook, _) in try webhooks(of: app, wanting: WebhookTopics(.campaignFinished)) {
            try note(.finished, for: webhook, app, occurrence, at: time)
        }
    }

    /// Notes that the server paused a Campaign.
    func noteHalt(of campaign: CampaignID, app: AppID, alarm: String, at time: Timestamp) throws {
        // What people write to each other is told to nobody.
        let sql: SQL = "SELECT kind FROM campaigns WHERE app_id = $1 AND id = $2"
        let kind = try connection.first(sql, app, campaign, as: Int64.self)
        guard kind == CampaignKind.campaign.rawValue else { return }
        for (webhook, _) in try webhooks(of: app, wanting: WebhookTopics(.campaignHalted)) {
            try note(.halted, for: webhook, app, OccurrenceID(rawValue: campaign.rawValue), action: alarm, at: time)
        }
    }

    // MARK: - Private

    fileprivate func webhooks(
        of app: AppID,
        wanting topics: WebhookTopics
    ) throws -> [(WebhookID, WebhookTopics)] {
        try connection.all(
            "SELECT id, topics FROM webhooks WHERE app_id = $1 AND is_active = 1",
            app,
            as: (WebhookID, WebhookTopics).self
        ).filter { !$1.isDisjoint(with: topics) }
    }

    private static let insert: SQL = """
        INSERT INTO webhook_outbox (\(OutboxColumn.list)) VALUES (\(OutboxColumn.parameters))
        """

    fileprivate func note(
        _ kind: OutboxKind,
        for webhook: WebhookID,
        _ app: AppID,
        _ occurrence: OccurrenceID,
        devices: [UInt8] = [],
        count: Int = 1,
        eventKind: Int64 = 0,
        action: String = "",
        at time: Timestamp,
        notedAt: Timestamp? = nil
    ) throws {
        let insert = try connection.prepare(Self.insert)
        let row = SQLParameters<OutboxColumn>(insert)
        row.bind(kind, to: .kind)
        row.bind(occurrence, to: .occurrenceID)
        row.bind(devices, to: .devices)
        row.bind(eventKind, to: .eventKind)
        row.bind(action, to: .action)
        row.bind(time, to: .at)
        row.bind(app, to: .appID)
        row.bind(webhook, to: .webhookID)
        row.bind(Int64.random(in: 1 ... .max), to: .id)
        row.bind(count, to: .count)
        row.bind(notedAt ?? time, to: .notedAt)
        try insert.send()
    }
}

extension Delivery.Outcome {
    /// What a notification of this outcome is told under.
    fileprivate var topics: WebhookTopics {
        switch self {
        case .accepted: WebhookTopics(.deliveryAccepted)
        case .failed, .expired: WebhookTopics([.deliveryFailed, .tokenInvalid])
        case .skipped: WebhookTopics(.deliverySkipped)
        }
    }
}

extension Event.Kind {
    fileprivate var topic: WebhookTopics {
        switch self {
        case .received: WebhookTopics(.eventReceived)
        case .opened: WebhookTopics(.eventOpened)
        case .dismissed: WebhookTopics(.eventDismissed)
        case .launched: WebhookTopics(.eventLaunched)
        case .action: WebhookTopics(.eventAction)
        }
    }
}
