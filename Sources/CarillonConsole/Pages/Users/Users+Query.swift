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
        var timeline: Timeline.Page
        /// The Campaign that was asked about, and why the User did not get it.
        var campaign: String
        var answer: WhyNot.Answer?
    }

    /// Devices on the page.
    static let deviceCount = 200

    /// Reads what the page shows.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such User.
    static func read(_ id: UserID, of app: AppID, _ fields: FormFields, _ engine: Engine) async throws -> Model {
        // Tokens are not shown here: each Device's page has its own.
        let user = try await engine.registry.users.user(id, app: app, showsTokens: false)
        let devices = try await engine.devices.list(app: app, user: id, cursor: nil, limit: deviceCount)
        let campaign = String(fields.text("campaign").trimmed.prefix(64))
        let query = Timeline.Query(fields)
        return Model(
            user: user,
            devices: devices.items,
            timeline: try await Timeline.read(query, .user(id), devices: devices.items, of: app, engine),
            campaign: campaign,
            answer: try await campaign.isEmpty ? nil : WhyNot.answer(campaign, id, of: app, engine)
        )
    }
}
