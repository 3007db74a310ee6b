import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The list of an App's Users.
enum UserList {
    /// The query of the page.
    struct Query: Hashable, Sendable {
        /// How the ids begin; empty for all.
        var text: String
        /// The last User of the page before.
        var after: UserID?

        init(_ fields: FormFields) {
            text = String(fields.text("q").trimmed.prefix(UserID.maximumLength))
            after = fields["after"].flatMap { UserID(cursor: $0) }
        }

        var fields: FormFields {
            FormFields().setting(["q": text.isEmpty ? nil : text, "after": after?.cursor])
        }

        /// The same rows from a cursor on; `nil` for the first.
        func continuing(after cursor: String?) -> Query {
            var query = self
            query.after = cursor.flatMap { UserID(cursor: $0) }
            return query
        }
    }

    static let pageSize = 50

    /// Reads a page, ordered by id.
    static func read(_ query: Query, of app: AppID, _ engine: Engine) async throws -> Page<ListedUser> {
        try await engine.registry.users.list(
            app: app,
            prefix: query.text.isEmpty ? nil : query.text,
            after: query.after,
            limit: pageSize
        )
    }
}

/// The page of one User.
enum UserPage {
    /// What the page shows.
    struct Model: Sendable {
        var user: UserRecord
        var devices: [DeviceRecord]
        var messages: Page<LoggedMessage>
        /// The cursor of the page before.
        var after: String?
    }

    /// Deliveries on a page.
    static let pageSize = 50
    /// Devices on the page.
    static let deviceCount = 200

    /// Reads what the page shows.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such User.
    static func read(_ id: UserID, of app: AppID, after: String?, _ engine: Engine) async throws -> Model {
        // Tokens are not shown here: each Device's page has its own.
        let user = try await engine.registry.users.user(id, app: app, showsTokens: false)
        let devices = try await engine.devices.list(app: app, user: id, cursor: nil, limit: deviceCount)
        return Model(
            user: user,
            devices: devices.items,
            messages: try await messages(of: id, app: app, after: after, engine),
            after: after
        )
    }

    /// The log of a User; empty for one that has tags alone and never had a Device.
    private static func messages(
        of user: UserID,
        app: AppID,
        after: String?,
        _ engine: Engine
    ) async throws -> Page<LoggedMessage> {
        let query = MessageLogQuery(app: app, subject: .user(user))
        do throws(EngineError) {
            return try await engine.messageLog.page(query, cursor: after, limit: pageSize)
        } catch {
            guard error.isNotFound else { throw error }
            return Page(items: [], nextCursor: nil)
        }
    }
}
