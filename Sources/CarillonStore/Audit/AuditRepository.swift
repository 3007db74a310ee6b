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
            return try connection.first(AuditSQL.appOfKey, id, as: AppID?.self) ?? nil
        }
    }
}

extension AuditRepository {
    func pseudonymKey() async throws(StoreError) -> [UInt8]? {
        try await database.read { connection in
            try connection.first("SELECT sealed FROM audit_keys WHERE id = 1", as: [UInt8].self)
        }
    }

    func pseudonymKey(orInsert new: [UInt8]) async throws(StoreError) -> [UInt8] {
        try await database.write { connection in
            try connection.run(
                "INSERT INTO audit_keys (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING",
                new
            )
            guard let kept = try connection.first("SELECT sealed FROM audit_keys WHERE id = 1", as: [UInt8].self) else {
                throw StoreError.failed("The key of the audit log's names is gone.")
            }
            return kept
        }
    }
}

private enum AuditColumn: Int, SQLColumn {
    case id, at, actor, address, action, appID, object, status, previousHash, hash, sessionID, change
}

/// The statements of the audit log; each finds its rows by an index and has a limit.
package enum AuditSQL {
    static let last: SQL = "SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1"
    /// The hash of the entry before the first one that is there.
    static let beginning: SQL = "SELECT previous_hash FROM audit_log ORDER BY id LIMIT 1"
    static let everything: SQL = """
        SELECT \(AuditColumn.list) FROM audit_log
        WHERE id < $1 AND id >= $2 ORDER BY id DESC LIMIT $3
        """
    static let ofApp: SQL = """
        SELECT \(AuditColumn.list) FROM audit_log
        WHERE app_id = $1 AND id < $2 AND id >= $3 ORDER BY id DESC LIMIT $4
        """
    static let ofActor: SQL = """
        SELECT \(AuditColumn.list) FROM audit_log
        WHERE actor = $1 AND (app_id = $2 OR $2 = -1) AND id < $3 AND id >= $4 ORDER BY id DESC LIMIT $5
        """
    static let ofObject: SQL = """
        SELECT \(AuditColumn.list) FROM audit_log
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
        var last = try connection.first(AuditSQL.last, as: (AuditEntryID, String).self).map { (id: $0, hash: $1) }
        for record in records {
            let entry = AuditEntry(record, after: last)
            try insert(entry)
            last = (entry.id, entry.hash)
        }
    }

    private func insert(_ entry: AuditEntry) throws {
        try connection.run("INSERT INTO audit_log (\(AuditColumn.list)) VALUES (\(AuditColumn.parameters))") {
            (row: SQLParameters<AuditColumn>) in
            row.bind(entry.id, to: .id)
            row.bind(entry.at, to: .at)
            row.bind(entry.actor, to: .actor)
            row.bind(entry.address, to: .address)
            row.bind(entry.action, to: .action)
            row.bind(entry.app, to: .appID)
            row.bind(entry.object, to: .object)
            row.bind(entry.status, to: .status)
            row.bind(entry.previousHash, to: .previousHash)
            row.bind(entry.hash, to: .hash)
            row.bind(entry.session, to: .sessionID)
            row.bind(entry.change, to: .change)
        }
    }
}

extension AuditEntry {
    fileprivate init(row: SQLRow<AuditColumn>) throws {
        self.init(
            id: try row[.id],
            at: try row[.at],
            actor: try row[.actor],
            action: try row[.action],
            status: try row[.status],
            previousHash: try row[.previousHash],
            hash: try row[.hash]
        )
        address = try row[.address]
        app = try row[.appID]
        object = try row[.object]
        session = try row[.sessionID]
        change = try row[.change]
    }
}

extension AuditEntryID: SQLBindable, SQLReadable {}
