import CarillonContentSets
import CarillonModel
import CarillonSQL

enum ContentAttachmentColumn: Int, SQLColumn {
    case appID, id, setName, tableName, rowName, userID, kind, title, name, mediaType, size, createdAt
}

/// Attachments to rows of content sets, in SQL on one connection.
struct ContentAttachmentTable {
    /// Attachments, of up to 1 MB each, that one transaction removes.
    private static let removedAtOnce = 4

    let connection: any SQLConnection
}

extension SQLConnection {
    var contentAttachments: ContentAttachmentTable { ContentAttachmentTable(connection: self) }
}

extension ContentAttachmentTable {
    func insert(_ new: NewContentAttachment) throws {
        let attachment = new.attachment
        try connection.run(
            """
            INSERT INTO content_attachments (\(ContentAttachmentColumn.list))
            VALUES (\(ContentAttachmentColumn.parameters))
            """,
            attachment.app,
            attachment.id.rawValue,
            attachment.set,
            attachment.table,
            attachment.row,
            attachment.user,
            attachment.kind,
            attachment.title,
            attachment.name,
            attachment.mediaType,
            attachment.size,
            attachment.createdAt
        )
        let step = ContentAttachmentLimits.partSize
        for (number, start) in stride(from: 0, to: new.bytes.count, by: step).enumerated() {
            try connection.run(
                "INSERT INTO content_attachment_parts (app_id, id, number, bytes) VALUES ($1, $2, $3, $4)",
                attachment.app,
                attachment.id.rawValue,
                number,
                Array(new.bytes[start..<min(start + step, new.bytes.count)])
            )
        }
    }

    func attachment(_ id: ContentAttachmentID, app: AppID) throws -> ContentAttachment? {
        try connection.first(
            "SELECT \(ContentAttachmentColumn.list) FROM content_attachments WHERE app_id = $1 AND id = $2",
            app,
            id.rawValue
        ) { (row: SQLRow<ContentAttachmentColumn>) in try ContentAttachment(row: row) }
    }

    /// All attachments of a User, who has a bounded number of them.
    func attachments(of user: UserID, app: AppID) throws -> [ContentAttachment] {
        try connection.all(
            """
            SELECT \(ContentAttachmentColumn.list) FROM content_attachments WHERE app_id = $1 AND user_id = $2
            ORDER BY id LIMIT $3
            """,
            app,
            user,
            ContentAttachmentLimits.filesOfUser
        ) { (row: SQLRow<ContentAttachmentColumn>) in try ContentAttachment(row: row) }
    }

    func remove(_ id: Int64, app: AppID) throws {
        try connection.run("DELETE FROM content_attachment_parts WHERE app_id = $1 AND id = $2", app, id)
        try connection.run("DELETE FROM content_attachments WHERE app_id = $1 AND id = $2", app, id)
    }

    /// Removes some attachments of a set.
    ///
    /// - Returns: Whether there may be more.
    func removeSome(of set: String, app: AppID) throws -> Bool {
        let ids = try connection.all(
            "SELECT id FROM content_attachments WHERE app_id = $1 AND set_name = $2 LIMIT $3",
            app,
            set,
            Self.removedAtOnce,
            as: Int64.self
        )
        for id in ids { try remove(id, app: app) }
        return ids.count == Self.removedAtOnce
    }

    /// Removes some attachments to rows of a version whose rows are being removed, unless another version that is read
    /// has such a row.
    ///
    /// - Parameters:
    ///   - slot: The version.
    ///   - number: The last row that is being removed; `nil` for all that are left.
    ///   - app: The App.
    /// - Returns: Whether some were removed; there may be more then.
    /// - Throws: ``StoreError``.
    func removeSome(of slot: Int64, through number: Int64?, app: AppID) throws -> Bool {
        let ids = try connection.all(
            """
            SELECT a.id FROM content_versions v
            JOIN content_rows r ON r.app_id = $1 AND r.slot = v.slot
            JOIN content_attachments a ON a.app_id = $1 AND a.set_name = v.set_name
                AND a.table_name = v.table_name AND a.row_name = r.name
            WHERE v.app_id = $1 AND v.slot = $2 AND r.number <= $3 AND NOT EXISTS (
                SELECT 1 FROM content_versions o
                JOIN content_rows q ON q.app_id = $1 AND q.slot = o.slot AND q.name = a.row_name
                WHERE o.app_id = $1 AND o.set_name = v.set_name AND o.table_name = v.table_name AND o.slot <> $2
                    AND o.state IN ($4, $5))
            LIMIT $6
            """,
            app,
            slot,
            number ?? .max,
            ContentSetTable.State.current.rawValue,
            ContentSetTable.State.previous.rawValue,
            Self.removedAtOnce,
            as: Int64.self
        )
        for id in ids { try remove(id, app: app) }
        return !ids.isEmpty
    }

    // MARK: - Bounds

    /// How many files there are, and their bytes.
    struct Usage: Hashable {
        var files: Int
        var bytes: Int
    }

    func usage(of user: UserID, app: AppID) throws -> Usage {
        try connection.first(
            """
            SELECT count(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM content_attachments
            WHERE app_id = $1 AND user_id = $2
            """,
            app,
            user
        ) { Usage(files: $0.int(0), bytes: $0.int(1)) } ?? Usage(files: 0, bytes: 0)
    }

    func usage(of app: AppID) throws -> Usage {
        try connection.first(
            "SELECT count(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM content_attachments WHERE app_id = $1",
            app
        ) { Usage(files: $0.int(0), bytes: $0.int(1)) } ?? Usage(files: 0, bytes: 0)
    }

    /// Whether a row of a table has a key now.
    func hasRow(_ key: String, _ version: ContentSet.Version, app: AppID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM content_rows WHERE app_id = $1 AND slot = $2 AND name = $3",
            app,
            version.slot,
            key
        ) { _ in true } ?? false
    }
}

extension ContentAttachment {
    init(row: SQLRow<ContentAttachmentColumn>) throws {
        self.init(
            id: ContentAttachmentID(rawValue: try row[.id]),
            app: try row[.appID],
            set: try row[.setName],
            table: try row[.tableName],
            row: try row[.rowName],
            user: try row[.userID],
            kind: try row[.kind],
            title: try row[.title],
            name: try row[.name],
            mediaType: try row[.mediaType],
            size: try row[.size],
            createdAt: try row[.createdAt]
        )
    }

    /// What was attached where, as an export of a User has it.
    var exported: JSONValue {
        var value: [String: JSONValue] = [
            "id": .string(id.description), "set": .string(set), "table": .string(table), "row": .string(row),
            "mediaType": .string(mediaType), "size": .integer(Int64(size)), "kind": .integer(Int64(kind)),
        ]
        value["title"] = title.map(JSONValue.string)
        return .object(value)
    }
}
