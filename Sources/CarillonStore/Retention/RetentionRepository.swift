import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Dropping by age, in SQL.
struct RetentionRepository: RetentionStore {
    let database: any Database

    func days(of app: AppID) async throws(StoreError) -> RetentionDays? {
        try await database.read { connection throws(StoreError) in
            let isKnown = try connection.first("SELECT id FROM apps WHERE id = $1", app) { $0.int64(0) }
            guard isKnown != nil else { return nil }
            return try connection.first(
                "SELECT deliveries, events, inbox, minutes FROM app_retention WHERE app_id = $1",
                app
            ) { row in
                var days = RetentionDays()
                days.deliveries = row.int(0)
                days.events = row.int(1)
                days.inbox = row.int(2)
                days.minutes = row.int(3)
                return days
            } ?? RetentionDays()
        }
    }

    func setDays(_ days: RetentionDays, of app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection throws(StoreError) in
            let isKnown = try connection.first("SELECT id FROM apps WHERE id = $1", app) { $0.int64(0) }
            guard isKnown != nil else { return false }
            try connection.run(
                """
                INSERT INTO app_retention (app_id, deliveries, events, inbox, minutes) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (app_id) DO UPDATE SET deliveries = excluded.deliveries, events = excluded.events,
                    inbox = excluded.inbox, minutes = excluded.minutes
                """,
                app,
                days.deliveries,
                days.events,
                days.inbox,
                days.minutes
            )
            return true
        }
    }

    func claim(
        _ name: String,
        owner: Int64,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.run(
                """
                INSERT INTO node_claims (name, owner, ends_at) VALUES ($1, $2, $3)
                ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, ends_at = excluded.ends_at
                WHERE node_claims.owner = excluded.owner OR node_claims.ends_at <= $4
                """,
                name,
                owner,
                end,
                now
            ) > 0
        }
    }

    func drop(
        _ subject: RetentionSubject,
        of app: AppID,
        before time: Timestamp,
        after cursor: RetentionCursor,
        limit: Int
    ) async throws(StoreError) -> RetentionCursor? {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.drop(subject, of: app, before: time, after: cursor, limit: limit)
        }
    }

    func keepPartitions(from oldest: Timestamp, through newest: Timestamp) async throws(StoreError) -> Int {
        guard database.dialect == .postgreSQL else { return 0 }
        return try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.lock(.schema)
            var dropped = 0
            for table in ["deliveries", "events"] {
                dropped += try connection.keepPartitions(of: table, from: oldest, through: newest)
            }
            return dropped
        }
    }
}

extension Timestamp {
    /// The first Occurrence that may have been made at this time.
    var firstOccurrence: Int64 { OccurrenceID(milliseconds: rawValue, sequence: 0).rawValue }
}
