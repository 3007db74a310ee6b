package import CarillonModel
import Foundation
import StoreErrors

/// Content sets of Apps: their definitions, queries, and imports of files.
package struct ContentSets: Sendable {
    /// Rows that are written in one transaction, and terms of them.
    static let partRows = 200
    static let partTerms = 2_000
    /// How often a version is compared anew because another one was published meanwhile.
    static let publishAttempts = 5
    /// How long an import that was never published is left alone: it may still run on another node.
    private static let importTime: Int64 = 6 * 3_600_000

    let store: any ContentSetStore
    let now: @Sendable () -> Timestamp
    let nextID: @Sendable () -> Int64
    let limits: ContentFile.Limits
    /// Waits between two heartbeats of an import, or until the task is cancelled.
    let pause: @Sendable (Duration) async -> Void

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores content sets.
    ///   - limits: How much a file may have.
    ///   - nextID: Generates ids that are ordered by time.
    ///   - now: The wall clock.
    ///   - pause: Waits for a time, or until the task is cancelled.
    package init(
        store: any ContentSetStore,
        limits: ContentFile.Limits = .init(),
        nextID: @escaping @Sendable () -> Int64,
        now: @escaping @Sendable () -> Timestamp,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.limits = limits
        self.nextID = nextID
        self.now = now
        self.pause = pause
    }

    // MARK: - Definitions

    /// Saves a definition under a name; rows stay as they were imported until the next import.
    ///
    /// - Throws: ``ContentSetError/noApp``, ``ContentSetError/tooMany(_:limit:)``, ``ContentSetError/invalid(_:)`` for the name.
    package func put(
        _ name: String,
        _ definition: ContentSetDefinition,
        app: AppID
    ) async throws(ContentSetError) -> ContentSet {
        guard ContentName.isSetName(name) else {
            throw .invalid([FieldError(field: "set", problem: ContentName.setProblem)])
        }
        let at = now()
        return try await stored(try await store.put(name, definition, app: app, at: at)).get()
    }

    /// - Throws: ``ContentSetError/notFound``.
    package func set(_ name: String, app: AppID) async throws(ContentSetError) -> ContentSet {
        guard let set = try await stored(try await store.set(name, app: app)) else { throw .notFound }
        return set
    }

    /// Returns an App's sets in order of their names.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - name: Only later ones than this.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: A page, whose cursor is the last set's name.
    /// - Throws: ``ContentSetError/store(_:)``.
    package func list(
        app: AppID,
        after name: String?,
        limit: Int
    ) async throws(ContentSetError) -> ContentList<ContentSet> {
        let limit = min(max(1, limit), 200)
        let found = try await stored(try await store.sets(of: app, after: name, limit: limit + 1))
        return ContentList(found, limit: limit) { $0.name }
    }

    /// Deletes a set with its rows and attachments.
    ///
    /// - Throws: ``ContentSetError/notFound``.
    package func delete(_ name: String, app: AppID) async throws(ContentSetError) {
        while try await stored(try await store.deleteAttachments(of: name, app: app)) {}
        guard try await stored(try await store.delete(name, app: app)) else { throw .notFound }
        // The set is gone; its rows go with the next import otherwise.
        try? await dropUnused(app: app)
    }

    // MARK: - Queries

    /// Answers a query.
    ///
    /// - Parameters:
    ///   - query: What is wanted.
    ///   - table: The table; `nil` for the only one.
    ///   - name: The set.
    ///   - app: The App.
    /// - Returns: A page; empty for a table without an import.
    /// - Throws: ``ContentSetError/notFound``, ``ContentSetError/invalid(_:)``.
    package func page(
        _ query: ContentQuery,
        table: String?,
        of name: String,
        app: AppID
    ) async throws(ContentSetError) -> ContentPage {
        let set = try await self.set(name, app: app)
        let table = try self.table(table, of: set)
        var version = set.versions[table.name]
        if case .after(let cursor?) = query.part, cursor.slot != version?.slot {
            version = try await stored(
                try await store.version(cursor.slot, of: name, table: table.name, app: app)
            )
            guard version != nil else {
                throw .invalid([
                    FieldError(field: "cursor", problem: "must be of a version that is there; begin without a cursor")
                ])
            }
        }
        // The version of a cursor may be of another definition.
        let errors = query.errors(for: version?.table ?? table)
        guard errors.isEmpty else { throw .invalid(errors) }
        guard let version else { return ContentPage(items: [], next: nil) }
        return try await stored(try await store.page(query, of: version, app: app))
    }

    private func table(_ name: String?, of set: ContentSet) throws(ContentSetError) -> ContentTable {
        guard let name else {
            guard set.definition.tables.count == 1 else {
                let names = set.definition.tables.map(\.name).joined(separator: ", ")
                throw .invalid([FieldError(field: "table", problem: "must be one of \(names)")])
            }
            return set.definition.tables[0]
        }
        guard let table = set.definition.table(name) else { throw .notFound }
        return table
    }

    /// Removes the rows of versions that nobody reads.
    package func dropUnused(app: AppID) async throws(ContentSetError) {
        let before = Timestamp(rawValue: now().rawValue - Self.importTime)
        while !Task.isCancelled, try await stored(try await store.dropUnused(app: app, before: before)) {}
    }
}
