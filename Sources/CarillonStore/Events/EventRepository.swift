import CarillonEngine
import CarillonModel
import CarillonSQL

/// What a reply was written to.
private struct ReplyPlace: Hashable {
    var occurrence: OccurrenceID
    var device: DeviceNumber
    var action: String

    init(_ event: EventRow) { (occurrence, device, action) = (event.occurrence, event.device, event.action) }
}

/// Events and their counts in SQL.
struct EventRepository: EventStore {
    /// How many actions of one notification are kept.
    private static let maximumActions = 16

    let database: any Database

    func record(app: AppID, _ events: [EventRow], at now: Timestamp) async throws(StoreError) -> Int {
        try await database.write { connection in
            let kept = try connection.events.withoutWordsOfNobody(events, app: app)
            let new =
                connection.dialect == .postgreSQL
                ? try PostgreSQLEvents(connection: connection, app: app)
                    .insert(kept, maximumActions: Self.maximumActions)
                : try Self.insert(kept, app, connection)
            var tally = EventAccumulator(app: app)
            var variants = try VariantEventCounts(of: Set(new.map(\.occurrence)), app: app, connection)
            // A reply that is not kept was written all the same.
            let replies = kept == events ? [] : Set(events.lazy.filter { $0.reply != nil }.map(ReplyPlace.init))
            for var event in new {
                if replies.contains(ReplyPlace(event)) { event.reply = event.reply ?? "" }
                tally.add(event)
                variants.add(event)
            }
            try tally.write(to: connection)
            try variants.write(to: connection)
            try connection.webhooks.noteEvents(new, app: app, at: now)
            return new.count
        }
    }

    func receiver(
        of occurrence: OccurrenceID,
        token: DeviceToken,
        app: AppID
    ) async throws(StoreError) -> DeviceNumber? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT d.number FROM devices d
                WHERE d.app_id = $1 AND substr(d.token, 1, 4) = $2 AND substr(d.token, length(d.token) - 3) = $3
                    AND d.token = $4 AND d.tenant = '' AND d.secret_hash IS NULL AND EXISTS (
                        SELECT 1 FROM deliveries x WHERE x.app_id = $1 AND x.occurrence_id = $5
                            AND x.device_number = d.number AND x.outcome = 1)
                LIMIT 1
                """,
                app,
                token.firstBytes,
                token.lastBytes,
                token,
                occurrence,
                as: DeviceNumber.self
            )
        }
    }

    // MARK: - Private

    /// Writes the events that are not known, one by one, which costs no round trip on SQLite.
    ///
    /// Those of an Occurrence that retention has dropped are not kept: nothing would find them when their User is erased.
    private static func insert(
        _ events: [EventRow],
        _ app: AppID,
        _ connection: any SQLConnection
    ) throws -> [EventRow] {
        var new: [EventRow] = []
        let insert = try connection.prepare(
            """
            INSERT INTO events (\(EventColumn.list)) SELECT \(EventColumn.parameters)
            WHERE EXISTS (SELECT 1 FROM occurrences WHERE app_id = $1 AND id = $2)
            ON CONFLICT DO NOTHING
            """
        )
        for event in events {
            if event.kind == .action, try hasAllActions(event, app, connection) { continue }
            bind(event, app, to: SQLParameters(insert))
            try insert.run()
            if connection.changedRowCount > 0 { new.append(event) }
        }
        return new
    }

    private static func bind(_ event: EventRow, _ app: AppID, to row: SQLParameters<EventColumn>) {
        row.bind(app, to: .appID)
        row.bind(event.occurrence, to: .occurrenceID)
        row.bind(event.device, to: .deviceNumber)
        row.bind(event.kind, to: .kind)
        row.bind(event.action, to: .action)
        row.bind(event.at, to: .occurredAt)
        row.bind(event.reply, to: .reply)
        row.bind(event.place?.latitude, to: .latitude)
        row.bind(event.place?.longitude, to: .longitude)
    }

    private static func hasAllActions(
        _ event: EventRow,
        _ app: AppID,
        _ connection: any SQLConnection
    ) throws -> Bool {
        let count = try connection.first(
            """
            SELECT count(*) FROM events
            WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3 AND kind = $4
            """,
            app,
            event.occurrence,
            event.device,
            event.kind,
            as: Int.self
        )
        return count ?? 0 >= maximumActions
    }
}
