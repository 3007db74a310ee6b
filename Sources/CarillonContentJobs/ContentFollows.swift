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
    private let templates: Templates
    private let ids: IDSource
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores follows and alerts.
    ///   - sets: The content sets that are followed.
    ///   - templates: Has what goes out.
    ///   - ids: Generates ids.
    ///   - clock: The wall clock.
    package init(
        store: any ContentFollowStore,
        sets: ContentSets,
        templates: Templates,
        ids: IDSource,
        clock: any WallClock
    ) {
        self.store = store
        self.sets = sets
        self.templates = templates
        self.ids = ids
        self.clock = clock
    }

    // MARK: - Alerts

    /// Sets what goes out when a table has new rows, from the next import on.
    ///
    /// - Throws: ``ContentSetError/notFound`` without the set or table; ``ContentSetError/invalid(_:)`` for a template
    ///   that the App does not have.
    package func putAlert(
        _ table: String,
        of set: String,
        app: AppID,
        _ settings: ContentAlertSettings
    ) async throws(ContentSetError) -> ContentAlert {
        guard try await sets.set(set, app: app).definition.table(table) != nil else { throw .notFound }
        var errors: [FieldError] = []
        let named: [(String, String?)] = [
            ("template", settings.template), ("bundleTemplate", settings.bundleTemplate),
        ]
        for (field, text) in named {
            guard let text, try await !hasTemplate(text, app) else { continue }
            errors.append(FieldError(field: field, problem: "must be the id of a template of the App"))
        }
        if let text = settings.statisticsID, StatisticsID(text) == nil {
            errors.append(FieldError(field: "statisticsID", problem: "must be the id of a statistics key"))
        }
        guard errors.isEmpty else { throw .invalid(errors) }
        let alert = ContentAlert(app: app, set: set, table: table, settings: settings)
        let now = clock.now()
        return try await stored(try await store.putAlert(alert, at: now)).get()
    }

    /// - Throws: ``ContentSetError/notFound``.
    package func alert(_ table: String, of set: String, app: AppID) async throws(ContentSetError) -> ContentAlert {
        guard let alert = try await stored(try await store.alert(table, of: set, app: app)) else { throw .notFound }
        return alert
    }

    /// Tells of no rows of a table from the next import on.
    ///
    /// - Throws: ``ContentSetError/notFound``.
    package func deleteAlert(_ table: String, of set: String, app: AppID) async throws(ContentSetError) {
        guard try await stored(try await store.deleteAlert(table, of: set, app: app)) else { throw .notFound }
    }

    // MARK: - Follows

    /// Saves a follow, in place of one of the same name.
    ///
    /// - Throws: ``ContentSetError/notFound``, ``ContentSetError/invalid(_:)``, ``ContentSetError/tooMany(_:limit:)``.
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

    // MARK: - Private

    private func hasTemplate(_ text: String, _ app: AppID) async throws(ContentSetError) -> Bool {
        guard let id = TemplateID(text) else { return false }
        do throws(EngineError) {
            _ = try await templates.template(id, within: app)
            return true
        } catch {
            if case .store(let failure) = error { throw .store(failure) }
            return false
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
