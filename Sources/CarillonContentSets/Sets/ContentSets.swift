package import CarillonModel
import Foundation
import StoreErrors

/// Content sets of Apps: their definitions, queries, and imports of files.
package struct ContentSets: Sendable {
    /// Rows that are written in one transaction, and terms of them.
    private static let partRows = 200
    private static let partTerms = 2_000
    /// How long an import that was never published is left alone: it may still run on another node.
    private static let importTime: Int64 = 6 * 3_600_000

    private let store: any ContentSetStore
    private let now: @Sendable () -> Timestamp
    private let nextID: @Sendable () -> Int64
    private let limits: ContentFile.Limits

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores content sets.
    ///   - limits: How much a file may have.
    ///   - nextID: Generates ids that are ordered by time.
    ///   - now: The wall clock.
    package init(
        store: any ContentSetStore,
        limits: ContentFile.Limits = .init(),
        nextID: @escaping @Sendable () -> Int64,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.limits = limits
        self.nextID = nextID
        self.now = now
    }

    // MARK: - Definitions

    /// Saves a definition under a name; rows stay as they were imported until the next import.
    ///
    /// - Throws: ``ContentSetError/noApp``, ``ContentSetError/tooMany``, ``ContentSetError/invalid(_:)`` for the name.
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

    /// Deletes a set with its rows.
    ///
    /// - Throws: ``ContentSetError/notFound``.
    package func delete(_ name: String, app: AppID) async throws(ContentSetError) {
        guard try await stored(try await store.delete(name, app: app)) else { throw .notFound }
        try await dropUnused(app: app)
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
        let errors = query.errors(for: version?.table ?? table)
        guard errors.isEmpty else { throw .invalid(errors) }
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

    // MARK: - Imports

    /// Returns the imports of a set, the latest first.
    ///
    /// - Throws: ``ContentSetError/notFound``.
    package func runs(
        of name: String,
        app: AppID,
        before id: Int64?,
        limit: Int
    ) async throws(ContentSetError) -> ContentList<ContentImportRun> {
        _ = try await set(name, app: app)
        let limit = min(max(1, limit), 200)
        let found = try await stored(try await store.runs(of: name, app: app, before: id, limit: limit + 1))
        return ContentList(found, limit: limit) { String($0.id) }
    }

    /// Imports a file: its tables get a new version as a whole, or keep the last one.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - format: What it is.
    ///   - table: The table that it fills, for formats of one table.
    ///   - name: The set.
    ///   - app: The App.
    /// - Returns: The completed run.
    /// - Throws: ``ContentSetError/notFound``; ``ContentSetError/refused(_:)`` with the run when the file is not what it
    ///   should be; ``ContentSetError/store(_:)``. The last good version stays then.
    package func importFile(
        _ bytes: [UInt8],
        _ format: ContentFormat,
        table: String?,
        into name: String,
        app: AppID
    ) async throws(ContentSetError) -> ContentImportRun {
        let set = try await self.set(name, app: app)
        try await dropUnused(app: app)
        var run = ContentImportRun(id: nextID(), format: format, startedAt: now())
        try await stored(try await store.save(run, of: name, app: app))
        let file: ContentFile
        do throws(ContentFileProblem) {
            file = try ContentFile(bytes, format, for: set.definition, table: table, limits: limits)
        } catch {
            run.problems = ["The file \(error.text)."]
            try await end(&run, .failed, of: name, app: app)
            throw .refused(run)
        }
        (run.read, run.skipped, run.left) = (file.report.read, file.report.skipped, file.report.left)
        run.problems = file.report.problems
        do throws(ContentSetError) {
            run.tables = try await write(file, into: set)
        } catch {
            run.problems.append("The import ended before the new version was there.")
            try? await end(&run, .failed, of: name, app: app)
            throw error
        }
        try await end(&run, .completed, of: name, app: app)
        try await dropUnused(app: app)
        return run
    }

    private func end(
        _ run: inout ContentImportRun,
        _ state: ContentImportRun.State,
        of name: String,
        app: AppID
    ) async throws(ContentSetError) {
        (run.state, run.endedAt) = (state, now())
        let ended = run
        try await stored(try await store.save(ended, of: name, app: app))
    }

    /// Writes new versions of a file's tables, and publishes those that differ.
    private func write(
        _ file: ContentFile,
        into set: ContentSet
    ) async throws(ContentSetError) -> [ContentImportRun.TableChanges] {
        var slots: [Int64] = []
        do throws(ContentSetError) {
            var changes: [ContentImportRun.TableChanges] = []
            var published: [Int64: Int] = [:]
            for table in set.definition.tables {
                guard let rows = file.tables[table.name] else { continue }
                let at = now()
                let slot = try await stored(try await store.begin(table, of: set.name, app: set.app, at: at))
                slots.append(slot)
                try await append(rows, of: table, to: slot, app: set.app)
                let current = set.versions[table.name]
                let found = try await stored(
                    try await store.changes(from: current?.slot, to: slot, app: set.app)
                )
                let change = ContentImportRun.TableChanges(
                    name: table.name,
                    imported: found.imported,
                    changed: found.changed,
                    gone: found.gone,
                    rows: rows.count
                )
                changes.append(change)
                // A table that was defined anew is published even if its rows are the same.
                if change.isChange || current?.table != table { published[slot] = rows.count }
            }
            let (new, counts, at) = (published.keys.sorted(), published, now())
            let isThere = try await stored(
                try await store.publish(new, of: set.name, app: set.app, rowCounts: counts, at: at)
            )
            guard isThere else { throw .notFound }
            let unchanged = slots.filter { published[$0] == nil }
            try await stored(try await store.discard(unchanged, app: set.app))
            return changes
        } catch {
            let begun = slots
            try? await store.discard(begun, app: set.app)
            throw error
        }
    }

    private func append(
        _ rows: [ContentRow],
        of table: ContentTable,
        to slot: Int64,
        app: AppID
    ) async throws(ContentSetError) {
        let encoder = JSONEncoder.sorted()
        var (part, terms): ([StoredContentRow], Int) = ([], 0)
        for (index, row) in rows.enumerated() {
            guard let data = try? encoder.encode(row.json(table)) else { continue }
            let document = String(decoding: data, as: UTF8.self)
            let item = StoredContentRow(row, number: Int64(index + 1), of: table, document: document)
            terms += item.terms.count
            part.append(item)
            guard part.count >= Self.partRows || terms >= Self.partTerms || index == rows.count - 1 else { continue }
            let full = part
            try await stored(try await store.append(full, to: slot, app: app))
            (part, terms) = ([], 0)
        }
    }

    /// Removes the rows of versions that nobody reads.
    package func dropUnused(app: AppID) async throws(ContentSetError) {
        let before = Timestamp(rawValue: now().rawValue - Self.importTime)
        while try await stored(try await store.dropUnused(app: app, before: before)) {}
    }
}

/// Turns an error of the store into one of content sets.
private func stored<Value: Sendable>(
    _ body: @autoclosure () async throws(StoreError) -> Value
) async throws(ContentSetError) -> Value {
    do throws(StoreError) {
        return try await body()
    } catch {
        throw .store(error)
    }
}
