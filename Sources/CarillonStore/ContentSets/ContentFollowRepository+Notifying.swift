import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import StoreErrors

private enum AlertRunColumn: Int, SQLColumn {
    case appID, slot, setName, tableName, number, userHash, followID, beganAt
}

private enum DueBundlesColumn: Int, SQLColumn { case appID, setName, tableName, dueAt }

/// Alerts that are still to be sent.
extension ContentFollowRepository {
    func claimRun(
        as claim: Int64,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> ContentAlertRun? {
        try await database.write(priority: .bulk) { connection in
            let run = try connection.first(
                """
                SELECT \(AlertRunColumn.list) FROM content_alert_runs
                WHERE claimed_until IS NULL OR claimed_until <= $1 ORDER BY served_at, slot LIMIT 1
                """,
                now
            ) { (row: SQLRow<AlertRunColumn>) in
                ContentAlertRun(
                    app: try row[.appID],
                    set: try row[.setName],
                    table: try row[.tableName],
                    slot: try row[.slot],
                    position: .init(
                        number: try row[.number],
                        userHash: try row[.userHash],
                        follow: try row[.followID]
                    ),
                    beganAt: try row[.beganAt],
                    claim: claim
                )
            }
            guard let run else { return nil }
            let isMine =
                try connection.run(
                    """
                    UPDATE content_alert_runs SET claim = $1, claimed_until = $2
                    WHERE app_id = $3 AND slot = $4 AND (claimed_until IS NULL OR claimed_until <= $5)
                    """,
                    claim,
                    end,
                    run.app,
                    run.slot,
                    now
                ) == 1
            return isMine ? run : nil
        }
    }

    func newRow(
        of run: ContentAlertRun,
        after number: Int64
    ) async throws(StoreError) -> (number: Int64, document: String, table: ContentTable)? {
        try await database.read { connection in
            let row = try connection.first(
                """
                SELECT r.number, r.document FROM content_new_rows n
                JOIN content_rows r ON r.app_id = $1 AND r.slot = $2 AND r.number = n.number
                WHERE n.app_id = $1 AND n.slot = $2 AND n.number > $3 ORDER BY n.number LIMIT 1
                """,
                run.app,
                run.slot,
                number,
                as: (Int64, String).self
            )
            let table = try connection.first(
                "SELECT definition FROM content_versions WHERE app_id = $1 AND slot = $2",
                run.app,
                run.slot
            ) { row in try JSONColumn<ContentTable>.value(row, at: 0) }
            guard let row, let table else { return nil }
            return (row.0, row.1, table)
        }
    }

    func followedKeys(_ keys: Set<String>, of run: ContentAlertRun) async throws(StoreError) -> [String] {
        try await database.read { connection in
            try keys.sorted().filter { key in
                try connection.first(
                    """
                    SELECT 1 FROM content_follow_keys
                    WHERE app_id = $1 AND set_name = $2 AND table_name = $3 AND term = $4 LIMIT 1
                    """,
                    run.app,
                    run.set,
                    run.table,
                    key
                ) { _ in true } ?? false
            }
        }
    }

    func candidates(
        under key: String,
        of run: ContentAlertRun,
        after place: (userHash: Int64, follow: Int64),
        limit: Int
    ) async throws(StoreError) -> [FollowCandidate] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(ContentFollowColumn.list(of: "f")) FROM content_follow_keys k
                JOIN content_follows f ON f.app_id = $1 AND f.id = k.follow_id
                WHERE k.app_id = $1 AND k.set_name = $2 AND k.table_name = $3 AND k.term = $4
                    AND (k.user_hash, k.follow_id) > ($5, $6)
                ORDER BY k.user_hash, k.follow_id LIMIT $7
                """,
                run.app,
                run.set,
                run.table,
                key,
                place.userHash,
                place.follow,
                limit
            ) { (row: SQLRow<ContentFollowColumn>) in try FollowCandidate(row: row, app: run.app) }
        }
    }

    func advance(
        _ run: ContentAlertRun,
        to position: ContentAlertRun.Position,
        bundling rows: [BundledRow]
    ) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            guard try connection.contentAlerts.advance(run.slot, run.claim, to: position, app: run.app) else {
                return false
            }
            for row in rows {
                try connection.contentAlerts.bundle(
                    row.row,
                    for: row.user,
                    dueAt: row.dueAt,
                    set: run.set,
                    table: run.table,
                    app: run.app
                )
            }
            return true
        }
    }

    func release(_ run: ContentAlertRun, isOver: Bool, at now: Timestamp) async throws(StoreError) {
        try await database.write(priority: .bulk) { connection in
            guard isOver else {
                try connection.run(
                    """
                    UPDATE content_alert_runs SET claim = NULL, claimed_until = NULL, served_at = $1
                    WHERE app_id = $2 AND slot = $3 AND claim = $4
                    """,
                    now,
                    run.app,
                    run.slot,
                    run.claim
                )
                return
            }
            let count = try connection.run(
                "DELETE FROM content_alert_runs WHERE app_id = $1 AND slot = $2 AND claim = $3",
                run.app,
                run.slot,
                run.claim
            )
            guard count == 1 else { return }
            try connection.run(
                "DELETE FROM content_new_rows WHERE app_id = $1 AND slot = $2",
                run.app,
                run.slot
            )
        }
    }

    func dueBundles(at now: Timestamp, limit: Int) async throws(StoreError) -> [DueBundles] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(DueBundlesColumn.list) FROM content_bundles WHERE due_at <= $1
                GROUP BY app_id, set_name, table_name, due_at ORDER BY due_at LIMIT $2
                """,
                now,
                limit
            ) { (row: SQLRow<DueBundlesColumn>) in
                DueBundles(
                    app: try row[.appID],
                    set: try row[.setName],
                    table: try row[.tableName],
                    dueAt: try row[.dueAt]
                )
            }
        }
    }

    func bundledRows(of bundles: DueBundles, limit: Int) async throws(StoreError) -> [BundledRow] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT user_id, name FROM content_bundles
                WHERE app_id = $1 AND set_name = $2 AND table_name = $3 AND due_at = $4
                ORDER BY user_id, name LIMIT $5
                """,
                bundles.app,
                bundles.set,
                bundles.table,
                bundles.dueAt,
                limit,
                as: (UserID, String).self
            ).map { BundledRow(user: $0, row: $1, dueAt: bundles.dueAt) }
        }
    }

    func dropBundles(of bundles: DueBundles, through last: BundledRow) async throws(StoreError) {
        _ = try await database.write(priority: .bulk) { connection in
            try connection.contentAlerts.removeBundles(
                bundles.set,
                bundles.table,
                through: last,
                app: bundles.app
            )
        }
    }
}
