import CarillonEngine
import CarillonModel
import CarillonSQL

private enum EventKeyColumn: Int, SQLColumn { case occurrenceID, deviceNumber, kind, action }

/// What a batch of events writes into PostgreSQL: a statement for all of them.
///
/// A statement an event would take a round trip each.
struct PostgreSQLEvents {
    /// Names an event.
    fileprivate struct Key: Hashable {
        var occurrence: Int64
        var device: Int64
        var kind: Int64
        var action: String

        init(_ event: EventRow) {
            occurrence = event.occurrence.rawValue
            device = event.device.rawValue
            kind = event.kind.code
            // As the database keeps it.
            action = event.action.replacing("\0", with: "\u{2400}")
        }

        init(_ row: any SQLStatement) {
            occurrence = row.int64(EventKeyColumn.occurrenceID.rawValue)
            device = row.int64(EventKeyColumn.deviceNumber.rawValue)
            kind = row.int64(EventKeyColumn.kind.rawValue)
            action = row.string(EventKeyColumn.action.rawValue)
        }
    }

    let connection: any SQLConnection
    let app: AppID

    /// Writes the events that are not known, of Occurrences that are there.
    ///
    /// - Parameters:
    ///   - events: The batch.
    ///   - maximumActions: How many actions of one notification are kept.
    /// - Returns: Those that are new, in their order.
    /// - Throws: ``StoreError``.
    func insert(_ events: [EventRow], maximumActions: Int) throws -> [EventRow] {
        let kept = try leavingOutActions(events, beyond: maximumActions)
        guard !kept.isEmpty else { return [] }
        var new = Set(
            try connection.all(
                """
                INSERT INTO events (\(EventColumn.list))
                SELECT CAST($1 AS BIGINT), u.occurrence, u.device, u.kind, u.action, u.at, u.reply, u.latitude,
                    u.longitude
                FROM unnest(CAST(CAST($2 AS TEXT) AS BIGINT[]), CAST(CAST($3 AS TEXT) AS BIGINT[]),
                    CAST(CAST($4 AS TEXT) AS BIGINT[]), CAST(CAST($5 AS TEXT) AS TEXT[]),
                    CAST(CAST($6 AS TEXT) AS BIGINT[]), CAST(CAST($7 AS TEXT) AS TEXT[]),
                    CAST(CAST($8 AS TEXT) AS DOUBLE PRECISION[]), CAST(CAST($9 AS TEXT) AS DOUBLE PRECISION[]))
                    AS u (occurrence, device, kind, action, at, reply, latitude, longitude)
                WHERE EXISTS (SELECT 1 FROM occurrences o WHERE o.app_id = $1 AND o.id = u.occurrence)
                ON CONFLICT DO NOTHING RETURNING \(EventKeyColumn.list)
                """,
                app,
                numbers(kept.lazy.map(\.occurrence.rawValue)),
                numbers(kept.lazy.map(\.device.rawValue)),
                numbers(kept.lazy.map(\.kind.code)),
                SQLList(nullable: kept.lazy.map(\.action)),
                numbers(kept.lazy.map(\.at.rawValue)),
                SQLList(nullable: kept.lazy.map(\.reply)),
                SQLList(kept.lazy.map { $0.place?.latitude }),
                SQLList(kept.lazy.map { $0.place?.longitude })
            ) { Key($0) }
        )
        // Of two that are the same the first was kept.
        return kept.filter { new.remove(Key($0)) != nil }
    }

    // MARK: - Private

    /// Leaves out what is more than a notification's actions, and what is known of them.
    private func leavingOutActions(_ events: [EventRow], beyond maximum: Int) throws -> [EventRow] {
        let notifications = Set(events.lazy.filter { $0.kind == .action }.map { Key($0).notification })
        guard !notifications.isEmpty else { return events }
        let known = try connection.all(
            """
            SELECT \(EventKeyColumn.list)
            FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[]), CAST(CAST($2 AS TEXT) AS BIGINT[]))
                AS p (occurrence_id, device_number)
            CROSS JOIN LATERAL (
                SELECT x.kind, x.action FROM events x WHERE x.app_id = $3 AND x.occurrence_id = p.occurrence_id
                    AND x.device_number = p.device_number AND x.kind = $4 LIMIT $5) AS e
            """,
            numbers(notifications.lazy.map(\.occurrence)),
            numbers(notifications.lazy.map(\.device)),
            app,
            Event.Kind.action,
            maximum
        ) { Key($0) }
        var actionsOf: [Key: Set<String>] = [:]
        for key in known { actionsOf[key.notification, default: []].insert(key.action) }
        return events.filter { event in
            guard event.kind == .action else { return true }
            let key = Key(event)
            guard actionsOf[key.notification, default: []].count < maximum else { return false }
            return actionsOf[key.notification, default: []].insert(key.action).inserted
        }
    }

    private func numbers(_ values: some Sequence<Int64>) -> SQLList { SQLList(values, .postgreSQL) }
}

extension PostgreSQLEvents.Key {
    /// The notification that an action is of.
    fileprivate var notification: Self {
        var key = self
        key.action = ""
        return key
    }
}
