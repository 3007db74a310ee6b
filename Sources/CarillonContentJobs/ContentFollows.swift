package import CarillonContentSets
package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import Foundation
import StoreErrors

/// Who hears of new rows, and what goes out to them.
package struct ContentFollows: Sendable {
    let store: any ContentFollowStore
    private let sets: ContentSets
    private let campaigns: Campaigns
    private let apps: Apps
    private let ids: IDSource
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores follows and alerts.
    ///   - sets: The content sets that are followed.
    ///   - campaigns: Know what goes out.
    ///   - apps: Say how Users are claimed.
    ///   - ids: Generates ids.
    ///   - clock: The wall clock.
    package init(
        store: any ContentFollowStore,
        sets: ContentSets,
        campaigns: Campaigns,
        apps: Apps,
        ids: IDSource,
        clock: any WallClock
    ) {
        self.store = store
        self.sets = sets
        self.campaigns = campaigns
        self.apps = apps
        self.ids = ids
        self.clock = clock
    }

    // MARK: - Alerts

    /// Sets what goes out when a table has new rows, from the next import on.
    ///
    /// - Throws: ``ContentSetError/notFound`` without the set or table; ``ContentSetError/invalid(_:)`` for a template
    ///   that the App does not have, or that has a place for what the table does not have.
    package func putAlert(
        _ table: String,
        of set: String,
        app: AppID,
        _ settings: ContentAlertSettings
    ) async throws(ContentSetError) -> ContentAlert {
        guard let fields = try await sets.set(set, app: app).definition.table(table)?.fields else { throw .notFound }
        let names = fields.filter { $0.type != .position }.map(\.name) + AlertTexts.counts
        var errors: [FieldError] = []
        let named: [(String, String?)] = [
            ("template", settings.template), ("bundleTemplate", settings.bundleTemplate),
        ]
        for (field, text) in named {
            guard let text, let problem = try await problem(ofTemplate: text, names, app) else { continue }
            errors.append(FieldError(field: field, problem: problem))
        }
        if let text = settings.statisticsID, StatisticsID(text) == nil {
            errors.append(FieldError(field: "statisticsID", problem: "must be the id of a statistics key"))
        }
        guard errors.isEmpty else { throw .invalid(errors) }
        let alert = ContentAlert(app: app, set: set, table: table, settings: settings)
        let now = clock.now()
        return try await stored(try await store.putAlert(alert, at: now)).get()
    }

    /// - Throws: ``ContentSetError/notFound`` without the set or table, ``ContentSetError/noAlert``.
    package func alert(_ table: String, of set: String, app: AppID) async throws(ContentSetError) -> ContentAlert {
        if let alert = try await stored(try await store.alert(table, of: set, app: app)) { return alert }
        throw try await missing(table, of: set, app)
    }

    /// Tells of no rows of a table from the next import on.
    ///
    /// - Throws: ``ContentSetError/notFound`` without the set or table, ``ContentSetError/noAlert``.
    package func deleteAlert(_ table: String, of set: String, app: AppID) async throws(ContentSetError) {
        if try await stored(try await store.deleteAlert(table, of: set, app: app)) { return }
        throw try await missing(table, of: set, app)
    }

    // MARK: - Follows

    /// Saves a follow, in place of one of the same name.
    ///
    /// - Throws: ``ContentSetError/notFound``, ``ContentSetError/invalid(_:)``, ``ContentSetError/tooMany(_:limit:)``,
    ///   ``ContentSetError/conflict(_:)`` for a User's follow of a place in an App of open identity.
    package func put(
        _ name: String,
        of set: String,
        app: AppID,
        _ request: ContentFollowRequest
    ) async throws(ContentSetError) -> ContentFollow {
        guard (request.user == nil) != (request.audience == nil) else {
            throw .invalid([FieldError(field: "user", problem: "must be there, or else audience")])
        }
        return try await save(name, as: name, of: set, app: app, request)
    }

    /// Saves a follow under the name by which the store knows it.
    func save(
        _ name: String,
        as storedName: String,
        of set: String,
        app: AppID,
        _ request: ContentFollowRequest
    ) async throws(ContentSetError) -> ContentFollow {
        let table = try await table(request.table, of: set, app)
        var errors = request.query.search.errors(for: table)
        if !Self.isName(name) {
            errors.append(
                FieldError(
                    field: "follow",
                    problem: "must be 1 through 100 letters, digits, hyphens, dots and underscores"
                )
            )
        }
        guard errors.isEmpty else { throw .invalid(errors) }
        if request.user != nil, request.query.near != nil, try await identity(of: app) == .open {
            throw .conflict(Self.placeRefusal)
        }
        let audience = request.audience.flatMap {
            try? JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode($0))
        }
        let follow = ContentFollow(
            app: app,
            set: set,
            name: storedName,
            table: table.name,
            user: request.user,
            audience: audience,
            query: request.query,
            isBundled: request.isBundled,
            createdAt: clock.now()
        )
        let id = ids.next(as: TemplateID.self).rawValue
        let keys = FollowKeys.keys(of: request.query, in: table)
        return try await stored(try await store.putFollow(follow, id: id, keys: keys)).get()
    }

    /// - Throws: ``ContentSetError/noFollow``.
    package func follow(_ name: String, of set: String, app: AppID) async throws(ContentSetError) -> ContentFollow {
        guard let follow = try await stored(try await store.follow(name, of: set, app: app)) else { throw .noFollow }
        return follow
    }

    /// Follows of a set in order of their names.
    ///
    /// - Parameters:
    ///   - set: The content set.
    ///   - app: The App.
    ///   - user: Only those of a User; `nil` for all.
    ///   - name: Only later ones than this.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: A page, whose cursor is the last follow's name.
    /// - Throws: ``ContentSetError/notFound``.
    package func list(
        of set: String,
        app: AppID,
        user: UserID?,
        after name: String?,
        limit: Int
    ) async throws(ContentSetError) -> ContentList<ContentFollow> {
        _ = try await sets.set(set, app: app)
        let limit = min(max(1, limit), 200)
        let found = try await stored(
            try await store.follows(of: set, app: app, user: user, after: name, limit: limit + 1)
        )
        return ContentList(found, limit: limit) { $0.name }
    }

    /// - Throws: ``ContentSetError/noFollow``.
    package func delete(_ name: String, of set: String, app: AppID) async throws(ContentSetError) {
        guard try await stored(try await store.deleteFollow(name, of: set, app: app)) else { throw .noFollow }
    }

    package static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-._".utf8.contains(byte)
            }
    }

    /// How the App's Users are claimed.
    func identity(of app: AppID) async throws(ContentSetError) -> App.Identity {
        do throws(EngineError) {
            return try await apps.identity(of: app)
        } catch {
            if case .store(let failure) = error { throw .store(failure) }
            throw .noApp
        }
    }

    // MARK: - Private

    /// What is not there, of a table's alert.
    private func missing(
        _ table: String,
        of set: String,
        _ app: AppID
    ) async throws(ContentSetError) -> ContentSetError {
        try await sets.set(set, app: app).definition.table(table) == nil ? .notFound : .noAlert
    }

    private static let placeRefusal = """
        A User's follow of a place needs an App whose identity is signed: in this one anybody may claim a User, and a place may \
        be somebody's home.
        """

    /// Why a template cannot be filled from a table's rows; `nil` when it can.
    private func problem(
        ofTemplate text: String,
        _ names: [String],
        _ app: AppID
    ) async throws(ContentSetError) -> String? {
        let unknown = "must be the id of a template of the App"
        guard let id = TemplateID(text) else { return unknown }
        do throws(EngineError) {
            let places = try await campaigns.recipientPlaces(of: CampaignRequest(template: id), app: app)
            guard let name = places.required.subtracting(names).min() else { return nil }
            return """
                must have places that the table can fill, or a default: recipient.\(name) is none of \
                \(names.joined(separator: ", "))
                """
        } catch {
            switch error {
            case .store(let failure): throw .store(failure)
            case .invalid(let error) where error.field != "template":
                return "must need no further values: \(error.field) \(error.problem)"
            default: return unknown
            }
        }
    }

    private func table(_ name: String?, of set: String, _ app: AppID) async throws(ContentSetError) -> ContentTable {
        let definition = try await sets.set(set, app: app).definition
        if let name {
            guard let table = definition.table(name) else {
                throw .invalid([FieldError(field: "table", problem: "must be a table of the content set")])
            }
            return table
        }
        guard definition.tables.count == 1 else {
            throw .invalid([FieldError(field: "table", problem: "is required: the content set has several")])
        }
        return definition.tables[0]
    }
}
