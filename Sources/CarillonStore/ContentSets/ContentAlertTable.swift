import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import StoreErrors

/// Alerts about new rows, in SQL on one connection.
struct ContentAlertTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var contentAlerts: ContentAlertTable { ContentAlertTable(connection: self) }
}

extension ContentAlertTable {
    /// Does a step in the transaction of its Campaign.
    ///
    /// - Throws: ``StoreError`` when another node has done it; then nothing of the transaction is kept.
    func apply(_ step: ContentAlertStep, app: AppID) throws {
        switch step.progress {
        case .run(let slot, let claim, let number, let userHash, let follow):
            let position = ContentAlertRun.Position(number: number, userHash: userHash, follow: follow)
            guard try advance(slot, claim, to: position, app: app) else {
                throw StoreError.failed("Another node sends alerts about the rows.")
            }
        case .bundles(let dueAt, let user, let row, let rowCount):
            let last = BundledRow(user: user, row: row, dueAt: dueAt)
            let removed = try removeBundles(step.set, step.table, through: last, app: app)
            guard removed == rowCount else { throw StoreError.failed("Another node sends alerts about the rows.") }
        }
        for row in step.bundled {
            try bundle(row.row, for: row.user, dueAt: row.dueAt, set: step.set, table: step.table, app: app)
        }
    }

    func advance(_ slot: Int64, _ claim: Int64, to position: ContentAlertRun.Position, app: AppID) throws -> Bool {
        try connection.run(
            """
            UPDATE content_alert_runs SET number = $1, user_hash = $2, follow_id = $3
            WHERE app_id = $4 AND slot = $5 AND claim = $6
            """,
            position.number,
            position.userHash,
            position.follow,
            app,
            slot,
            claim
        ) == 1
    }

    func bundle(
        _ row: String,
        for user: UserID,
        dueAt: Timestamp,
        set: String,
        table: String,
        app: AppID
    ) throws {
        try connection.send(
            """
            INSERT INTO content_bundles (app_id, set_name, table_name, due_at, user_id, name)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (app_id, set_name, table_name, due_at, user_id, name) DO NOTHING
            """,
            app,
            set,
            table,
            dueAt,
            user,
            row
        )
    }

    func removeBundles(
        _ set: String,
        _ table: String,
        through last: BundledRow,
        app: AppID
    ) throws -> Int {
        try connection.run(
            """
            DELETE FROM content_bundles
            WHERE app_id = $1 AND set_name = $2 AND table_name = $3 AND due_at = $4
                AND user_id <= $5 AND (user_id, name) <= ($5, $6)
            """,
            app,
            set,
            table,
            last.dueAt,
            last.user,
            last.row
        )
    }

    /// Notes the new rows of a version that is being published, but for those that there were alerts about before, and
    /// begins a run of alerts about them.
    func begin(
        _ news: ContentNews,
        of slot: Int64,
        table: String,
        set: String,
        app: AppID,
        at now: Timestamp
    ) throws {
        guard news != ContentNews(), let alert = try alert(table, of: set, app: app), alert.settings.isActive else {
            return
        }
        var hasNew = false
        for key in news.gone { _ = try remember(key, of: table, set: set, app: app, at: now) }
        for row in news.rows {
            guard try remember(row.key, of: table, set: set, app: app, at: now) else { continue }
            hasNew = true
            try connection.run(
                "INSERT INTO content_new_rows (app_id, slot, number) VALUES ($1, $2, $3)",
                app,
                slot,
                row.number
            )
        }
        guard hasNew else { return }
        try connection.run(
            """
            INSERT INTO content_alert_runs
                (app_id, slot, set_name, table_name, number, user_hash, follow_id, began_at, served_at)
            VALUES ($1, $2, $3, $4, 0, -2, -1, $5, $5)
            """,
            app,
            slot,
            set,
            table,
            now
        )
    }

    /// Remembers a row that there is an alert about, or that was there before.
    ///
    /// - Returns: Whether it was not remembered yet.
    private func remember(
        _ key: String,
        of table: String,
        set: String,
        app: AppID,
        at now: Timestamp
    ) throws -> Bool {
        try connection.run(
            """
            INSERT INTO content_announced (app_id, set_name, table_name, name, at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (app_id, set_name, table_name, name) DO NOTHING
            """,
            app,
            set,
            table,
            key,
            now
        ) == 1
    }

    func alert(_ table: String, of set: String, app: AppID) throws -> ContentAlert? {
        try connection.first(
            """
            SELECT \(ContentAlertColumn.list) FROM content_alerts
            WHERE app_id = $1 AND set_name = $2 AND table_name = $3
            """,
            app,
            set,
            table
        ) { (row: SQLRow<ContentAlertColumn>) in
            var alert = ContentAlert(app: app, set: set, table: table, settings: try row.json(.settings))
            alert.state = try row.json(.state)
            return alert
        }
    }
}

private enum ContentAlertColumn: Int, SQLColumn { case settings, state }
