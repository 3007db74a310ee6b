package import CarillonModel

/// Files that people attach to rows of content sets.
///
/// A table takes them when its definition says so. They belong to a row and go with it, and to an account and go with it.
package struct ContentAttachments: Sendable {
    /// A file as it was sent.
    package struct File: Sendable {
        package var name: String
        package var bytes: [UInt8]

        package init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// To which row files are attached, and by whom.
    package struct Place: Hashable, Sendable {
        package var app: AppID
        package var set: String
        package var table: String
        /// The key of the row.
        package var row: String
        package var user: UserID

        package init(app: AppID, set: String, table: String, row: String, user: UserID) {
            self.app = app
            self.set = set
            self.table = table
            self.row = row
            self.user = user
        }
    }

    private let store: any ContentAttachmentStore
    private let sets: ContentSets
    private let nextID: @Sendable () -> Int64
    private let now: @Sendable () -> Timestamp

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores attachments.
    ///   - sets: The content sets.
    ///   - nextID: Generates ids that are ordered by time.
    ///   - now: The wall clock.
    package init(
        store: any ContentAttachmentStore,
        sets: ContentSets,
        nextID: @escaping @Sendable () -> Int64,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.sets = sets
        self.nextID = nextID
        self.now = now
    }

    // MARK: - People

    /// Attaches files to a row, all of them or none.
    ///
    /// - Parameters:
    ///   - files: 1 through ``ContentAttachmentLimits/filesAtOnce`` files.
    ///   - kind: One of ``ContentAttachmentLimits/kinds``.
    ///   - title: The person's words for them; `nil` for none.
    ///   - place: The row and the person.
    /// - Returns: The attachments.
    /// - Throws: ``ContentSetError/invalid(_:)``, ``ContentSetError/noAttachments``, ``ContentSetError/noRow``,
    ///   ``ContentSetError/noAccount``, ``ContentSetError/tooMany(_:limit:)``, ``ContentSetError/conflict(_:)``.
    package func attach(
        _ files: [File],
        kind: Int,
        title: String?,
        to place: Place
    ) async throws(ContentSetError) -> [ContentAttachment] {
        let errors = Self.errors(files, kind: kind, title: title)
        guard errors.isEmpty else { throw .invalid(errors) }
        // No row has such a key, and a database refuses it.
        guard (1...ContentValue.maximumTermSize).contains(place.row.utf8.count), !place.row.utf8.contains(0) else {
            throw .noRow
        }
        try await check(place.table, of: place.set, app: place.app)
        let at = now()
        let new = files.map { file in
            let attachment = ContentAttachment(
                id: ContentAttachmentID(rawValue: nextID()),
                app: place.app,
                set: place.set,
                table: place.table,
                row: place.row,
                user: place.user,
                kind: kind,
                title: title,
                name: AttachmentName.plain(file.name),
                mediaType: AttachmentType.of(file.bytes),
                size: file.bytes.count,
                createdAt: at
            )
            return NewContentAttachment(attachment, bytes: file.bytes)
        }
        try await stored(try await store.insert(new)).get()
        return new.map(\.attachment)
    }

    /// An attachment whose table still takes attachments.
    ///
    /// - Throws: ``ContentSetError/noAttachment``, ``ContentSetError/noAttachments``.
    package func attachment(
        _ id: ContentAttachmentID,
        app: AppID
    ) async throws(ContentSetError) -> ContentAttachment {
        guard let found = try await stored(try await store.attachment(id, app: app)) else { throw .noAttachment }
        try await check(found.table, of: found.set, app: app)
        return found
    }

    /// A part of an attachment's file, from 0; `nil` after the last one, and when the attachment is gone.
    package func part(_ number: Int, of attachment: ContentAttachment) async throws(ContentSetError) -> [UInt8]? {
        try await stored(try await store.part(number, of: attachment.id, app: attachment.app))
    }

    // MARK: - Operators

    /// An attachment of a set, whether its table still takes attachments or not.
    ///
    /// - Throws: ``ContentSetError/notFound``, ``ContentSetError/noAttachment``.
    package func attachment(
        _ id: ContentAttachmentID,
        of set: String,
        app: AppID
    ) async throws(ContentSetError) -> ContentAttachment {
        _ = try await sets.set(set, app: app)
        guard let found = try await stored(try await store.attachment(id, app: app)), found.set == set else {
            throw .noAttachment
        }
        return found
    }

    /// Returns attachments of a set, the latest first.
    ///
    /// - Parameters:
    ///   - set: The set.
    ///   - app: The App.
    ///   - filter: Which are wanted.
    ///   - id: Only earlier ones than this.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: A page, whose cursor is the last attachment's id.
    /// - Throws: ``ContentSetError/notFound``.
    package func list(
        of set: String,
        app: AppID,
        _ filter: ContentAttachmentFilter = ContentAttachmentFilter(),
        before id: ContentAttachmentID? = nil,
        limit: Int = 50
    ) async throws(ContentSetError) -> ContentList<ContentAttachment> {
        _ = try await sets.set(set, app: app)
        let limit = min(max(1, limit), 200)
        let found = try await stored(
            try await store.attachments(of: set, app: app, filter, before: id, limit: limit + 1)
        )
        return ContentList(found, limit: limit) { $0.id.description }
    }

    /// Deletes an attachment with its file.
    ///
    /// - Throws: ``ContentSetError/notFound``, ``ContentSetError/noAttachment``.
    package func delete(_ id: ContentAttachmentID, of set: String, app: AppID) async throws(ContentSetError) {
        _ = try await sets.set(set, app: app)
        guard try await stored(try await store.deleteAttachment(id, of: set, app: app)) else { throw .noAttachment }
    }

    // MARK: - Private

    private func check(_ table: String, of set: String, app: AppID) async throws(ContentSetError) {
        guard let found = try await sets.set(set, app: app).definition.table(table) else { throw .notFound }
        guard found.takesAttachments else { throw .noAttachments }
    }

    private static func errors(_ files: [File], kind: Int, title: String?) -> [FieldError] {
        typealias Limits = ContentAttachmentLimits
        var errors: [FieldError] = []
        if !(1...Limits.filesAtOnce).contains(files.count) {
            errors.append(FieldError(field: "files", problem: "must be 1 through \(Limits.filesAtOnce)"))
        }
        if files.contains(where: \.bytes.isEmpty) {
            errors.append(FieldError(field: "files", problem: "must not be empty"))
        }
        if files.reduce(0, { $0 + $1.bytes.count }) > Limits.bytesAtOnce {
            errors.append(FieldError(field: "files", problem: "must have at most \(Limits.bytesAtOnce) bytes together"))
        }
        if !Limits.kinds.contains(kind) {
            errors.append(FieldError(field: "kind", problem: "must be 1 through \(Limits.kinds.upperBound)"))
        }
        if let title, let problem = TextLimit(Limits.titleLength).problem(of: title) {
            errors.append(FieldError(field: "title", problem: problem))
        }
        return errors
    }
}
