import CarillonEngine
import CarillonModel
import CarillonOperatorModel
package import CarillonSQL

/// The audit log in SQL.
struct AuditRepository: AuditStore {
    let database: any Database

    func append(_ records: [AuditRecord]) async throws(StoreError) {
        // In a transaction of its own: its lock is every node's, and others' writes must not wait with it.
        try await database.write(priority: .bulk) { connection in
            // The chain has one end, whichever node adds to it.
            try connection.lock(.auditLog)
            try connection.auditLog.append(records)
        }
    }

    func entries(_ query: AuditQuery, limit: Int) async throws(StoreError) -> [AuditEntry] {
        let anyApp = query.app?.rawValue ?? -1
        return try await database.read { connection in
            switch (query.subject, query.app) {
            case (.everything, nil):
                try connection.all(AuditSQL.everything, query.before, query.first, limit, read: AuditEntry.init(row:))
            case (.everything, let app?):
                try connection.all(AuditSQL.ofApp, app, query.before, query.first, limit, read: AuditEntry.init(row:))
            case (.actor(let actor), _):
                try connection.all(
                    AuditSQL.ofActor,
                    actor,
                    anyApp,
                    query.before,
                    query.first,
                    limit,
                    read: AuditEntry.init(row:)
                )
            case (.object(let object), _):
                try connection.all(
                    AuditSQL.ofObject,
                    object,
                    anyApp,
                    query.before,
                    query.first,
                    limit,
                    read: AuditEntry.init(row:)
                )
            }
        }
    }

    func app(ofObject object: String) async throws(StoreError) -> AppID? {
        try await database.read { connection in
            if let id = CampaignID(object) { return try connection.apps.app(of: id, in: .campaigns, within: nil) }
            if let id = AudienceID(object) { return try connection.apps.app(of: id, in: .audiences, within: nil) }
            if let id = TemplateID(object) { return try connection.apps.app(of: id, in: .templates, within: nil) }
            if let id = StatisticsID(object) { return try connection.apps.app(of: id, in: .statisticsIDs, within: nil) }
            if let id = WebhookID(object) { return try connection.apps.app(of: id, in: .webhooks, within: nil) }
            guard let id = APIKeyID(object) else { return nil }
            return try connection.first(AuditSQL.appOfKey, id) { $0.optionalInt64(0).map(AppID.init(rawValue:)) } ?? nil
        }
    }
}

extension AuditRepository {
    func pseudonymKey() async throws(StoreError) -> [UInt8]? {
        try await database.read { connection in
            try connection.first("SELECT sealed FROM audit_keys WHERE id = 1") { $0.array(0) }
        }
    }

    func pseudonymKey(orInsert new: [UInt8]) async throws(StoreError) -> [UInt8] {
        try await database.write { connection in
            try connection.run(
                "INSERT INTO audit_keys (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING",
                new
            )
            guard let kept = try connection.first("SELECT sealed FROM audit_keys WHERE id = 1", read: { $0.array(0) })
            else { throw StoreError.failed("The key of the audit log's names is gone.") }
            return kept
        }
    }
}

/// The statements of the audit log; each finds its rows by an index and has a limit.
package enum AuditSQL {
    static let last: SQL = "SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1"
    /// The hash of the entry before the first one that is there.
    static let beginning: SQL = "SELECT previous_hash FROM audit_log ORDER BY id LIMIT 1"
    static let everything: SQL = """
        SELECT id, at, actor, address, action, app_id, object, status, previous_hash, hash FROM audit_log
        WHERE id < $1 AND id >= $2 ORDER BY id DESC LIMIT $3
        """
    static let ofApp: SQL = """
        SELECT id, at, actor, address, action, app_id, object, status, previous_hash, hash FROM audit_log
        WHERE app_id = $1 AND id < $2 AND id >= $3 ORDER BY id DESC LIMIT $4
        """
    static let ofActor: SQL = """
        SELECT id, at, actor, address, action, app_id, object, status, previous_hash, hash FROM audit_log
        WHERE actor = $1 AND (app_id = $2 OR $2 = -1) AND id < $3 AND id >= $4 ORDER BY id DESC LIMIT $5
        """
    static let ofObject: SQL = """
        SELECT id, at, actor, address, action, app_id, object, status, previous_hash, hash FROM audit_log
        WHERE object = $1 AND (app_id = $2 OR $2 = -1) AND id < $3 AND id >= $4 ORDER BY id DESC LIMIT $5
        """
    /// The first entries of the chain, with their times.
    static let first: SQL = "SELECT id, at FROM audit_log ORDER BY id LIMIT $1"
    /// The last entry stays whatever its age: the next one has its hash.
    static let drop: SQL = """
        DELETE FROM audit_log WHERE id <= $1 AND id < (SELECT max(id) FROM audit_log)
        """
    static let appOfKey: SQL = "SELECT app_id FROM api_keys WHERE id = $1"

    /// All of them, for a test of how they find their rows.
    package static let all: [SQL] = [last, beginning, first, everything, ofApp, ofActor, ofObject, drop, appOfKey]
}

extension AuditTable {
    /// Puts records at the end of the chain; the caller has the lock of the audit log.
    func append(_ records: [AuditRecord]) throws {
        var last = try connection.first(AuditSQL.last) { row in
            (id: AuditEntryID(rawValue: row.int64(0)), hash: row.string(1))
        }
        for record in records {
            let entry = AuditEntry(record, after: last)
            try insert(entry)
            last = (entry.id, entry.hash)
        }
    }

    private func insert(_ entry: AuditEntry) throws {
        try connection.run(
            """
            INSERT INTO audit_log (id, at, actor, address, action, app_id, object, status, previous_hash, hash)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            entry.id,
            entry.at,
            entry.actor,
            entry.address,
            entry.action,
            entry.app,
            entry.object,
            entry.status,
            entry.previousHash,
            entry.hash
        )
    }
}

extension AuditEntry {
    fileprivate init(row: any SQLStatement) {
        self.init(
            id: AuditEntryID(rawValue: row.int64(0)),
            at: Timestamp(rawValue: row.int64(1)),
            actor: row.string(2),
            action: row.string(4),
            status: row.int(7),
            previousHash: row.string(8),
            hash: row.string(9)
        )
        address = row.optionalString(3)
        app = row.optionalInt64(5).map(AppID.init(rawValue:))
        object = row.optionalString(6)
    }
}

extension AuditEntryID: SQLBindable {}
