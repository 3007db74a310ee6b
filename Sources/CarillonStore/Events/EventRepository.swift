import CarillonEngine
import CarillonModel

/// Events and their counts in SQL.
struct EventRepository: EventStore {
    /// How many actions of one notification are kept.
    private static let maximumActions = 16
    /// What `event_counts` calls actions that came with a text; they are counted as actions too.
    static let replyCode: Int64 = 100

    let database: any Database

    func record(app: AppID, _ events: [EventRow]) async throws(StoreError) -> Int {
        try await database.write { connection throws(StoreError) in
            var counts: [Count] = []
            var new = 0
            let insert = try connection.prepare(
                """
                INSERT INTO events (app_id, occurrence_id, device_number, kind, action, occurred_at, reply,
                    latitude, longitude)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                ON CONFLICT DO NOTHING
                """
            )
            for event in events {
                if event.kind == .action, try Self.hasAllActions(event, app, connection) { continue }
                Self.bind(event, app, to: insert)
                try insert.run()
                guard connection.changedRowCount > 0 else { continue }
                new += 1
                Count.add(event, event.kind.code, to: &counts)
                if event.reply != nil { Count.add(event, Self.replyCode, to: &counts) }
            }
            for count in counts.sorted(by: { ($0.occurrence, $0.kind) < ($1.occurrence, $1.kind) }) {
                try Self.add(count, app, connection)
            }
            return new
        }
    }

    // MARK: - Private

    /// How many new events there are of an Occurrence and kind.
    private struct Count {
        var occurrence: OccurrenceID
        var kind: Int64
        var count = 1

        /// A batch is small, and mostly of few Occurrences.
        static func add(_ event: EventRow, _ kind: Int64, to counts: inout [Count]) {
            if let index = counts.firstIndex(where: { $0.occurrence == event.occurrence && $0.kind == kind }) {
                counts[index].count += 1
            } else {
                counts.append(Count(occurrence: event.occurrence, kind: kind))
            }
        }
    }

    private static func bind(_ event: EventRow, _ app: AppID, to insert: any SQLStatement) {
        insert.bind(app.rawValue, at: 1)
        insert.bind(event.occurrence.rawValue, at: 2)
        insert.bind(event.device.rawValue, at: 3)
        insert.bind(event.kind.code, at: 4)
        insert.bind(event.action, at: 5)
        insert.bind(event.at.rawValue, at: 6)
        event.reply.bind(to: insert, at: 7)
        event.place.map(\.latitude).bind(to: insert, at: 8)
        event.place.map(\.longitude).bind(to: insert, at: 9)
    }

    private static func hasAllActions(
        _ event: EventRow,
        _ app: AppID,
        _ connection: any SQLConnection
    ) throws(StoreError) -> Bool {
        let count = try connection.first(
            """
            SELECT count(*) FROM events
            WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3 AND kind = $4
            """,
            app,
            event.occurrence,
            event.device,
            event.kind.code
        ) { row throws(StoreError) in row.int(0) }
        return count ?? 0 >= maximumActions
    }

    private static func add(
        _ count: Count,
        _ app: AppID,
        _ connection: any SQLConnection
    ) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO event_counts (app_id, occurrence_id, kind, count) VALUES ($1, $2, $3, $4)
            ON CONFLICT (app_id, occurrence_id, kind) DO UPDATE SET count = event_counts.count + excluded.count
            """,
            app,
            count.occurrence,
            count.kind,
            count.count
        )
    }
}
