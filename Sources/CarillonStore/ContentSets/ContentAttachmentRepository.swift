import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

/// Attachments to rows of content sets in SQL.
struct ContentAttachmentRepository {
    let database: any Database
}

extension ContentAttachmentRepository: ContentAttachmentStore {
    func insert(_ attachments: [NewContentAttachment]) async throws(StoreError) -> Result<Void, ContentSetError> {
        guard let place = attachments.first?.attachment else { return .success(()) }
        return try await database.write { connection in
            // An erasure at the same time would leave the files behind.
            try connection.lock(.user(place.user, app: place.app))
            guard try connection.accounts.account(of: place.user, app: place.app) != nil else {
                return .failure(.noAccount)
            }
            guard let set = try connection.contentSets.set(place.set, app: place.app) else {
                return .failure(.notFound)
            }
            guard let version = set.versions[place.table],
                try connection.contentAttachments.hasRow(place.row, version, app: place.app)
            else { return .failure(.noRow) }
            if let error = try Self.excess(attachments, of: place, connection) { return .failure(error) }
            for attachment in attachments { try connection.contentAttachments.insert(attachment) }
            return .success(())
        }
    }

    /// Which bound the attachments exceed; `nil` for none.
    private static func excess(
        _ attachments: [NewContentAttachment],
        of place: ContentAttachment,
        _ connection: any SQLConnection
    ) throws -> ContentSetError? {
        typealias Limits = ContentAttachmentLimits
        let bytes = attachments.reduce(0) { $0 + $1.bytes.count }
        let own = try connection.contentAttachments.usage(of: place.user, app: place.app)
        if own.files + attachments.count > Limits.filesOfUser {
            return .tooMany("attachments of the account", limit: Limits.filesOfUser)
        }
        if own.bytes + bytes > Limits.bytesOfUser {
            return .conflict("The account's attachments may have \(Limits.bytesOfUser) bytes together: delete one.")
        }
        let all = try connection.contentAttachments.usage(of: place.app)
        if all.files + attachments.count > Limits.filesOfApp {
            return .tooMany("attachments of the App", limit: Limits.filesOfApp)
        }
        if all.bytes + bytes > Limits.bytesOfApp {
            return .conflict("The App's attachments may have \(Limits.bytesOfApp) bytes together: delete one.")
        }
        return nil
    }

    func attachments(
        of set: String,
        app: AppID,
        _ filter: ContentAttachmentFilter,
        before id: ContentAttachmentID?,
        limit: Int
    ) async throws(StoreError) -> [ContentAttachment] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(ContentAttachmentColumn.list) FROM content_attachments
                WHERE app_id = $1 AND set_name = $2 AND id < $3
                    AND (CAST($4 AS TEXT) IS NULL OR table_name = $4) AND (CAST($5 AS TEXT) IS NULL OR row_name = $5)
                    AND (CAST($6 AS TEXT) IS NULL OR user_id = $6)
                ORDER BY id DESC LIMIT $7
                """,
                app,
                set,
                id?.rawValue ?? .max,
                filter.table,
                filter.row,
                filter.user?.rawValue,
                limit
            ) { (row: SQLRow<ContentAttachmentColumn>) in try ContentAttachment(row: row) }
        }
    }

    func attachment(_ id: ContentAttachmentID, app: AppID) async throws(StoreError) -> ContentAttachment? {
        try await database.read { connection in try connection.contentAttachments.attachment(id, app: app) }
    }

    func part(_ number: Int, of id: ContentAttachmentID, app: AppID) async throws(StoreError) -> [UInt8]? {
        try await database.read { connection in
            try connection.first(
                "SELECT bytes FROM content_attachment_parts WHERE app_id = $1 AND id = $2 AND number = $3",
                app,
                id.rawValue,
                number,
                as: [UInt8].self
            )
        }
    }

    func deleteAttachment(
        _ id: ContentAttachmentID,
        of set: String,
        app: AppID
    ) async throws(StoreError) -> Bool {
        try await database.write { connection in
            guard let found = try connection.contentAttachments.attachment(id, app: app), found.set == set else {
                return false
            }
            try connection.contentAttachments.remove(id.rawValue, app: app)
            return true
        }
    }
}
