package import CarillonModel
import Foundation
import StoreErrors

/// Imports of files.
extension ContentSets {
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
    ///   - source: The source that it was fetched from; `nil` for a file that was sent.
    /// - Returns: The completed run.
    /// - Throws: ``ContentSetError/notFound``; ``ContentSetError/refused(_:)`` with the run when the file is not what it
    ///   should be; ``ContentSetError/store(_:)``. The last good version stays then.
    package func importFile(
        _ bytes: [UInt8],
        _ format: ContentFormat,
        table: String?,
        into name: String,
        app: AppID,
        source: String? = nil
    ) async throws(ContentSetError) -> ContentImportRun {
        let set = try await self.set(name, app: app)
        try await dropUnused(app: app)
        var run = ContentImportRun(id: nextID(), format: format, source: source, startedAt: now())
        try await stored(try await store.save(run, of: name, app: app))
        let file: ContentFile
        do throws(ContentFileProblem) {
            file = try await ContentFile.reading(bytes, format, for: set.definition, table: table, limits: limits)
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
            var news: [Int64: ContentNews] = [:]
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
                news[slot] = found.news
                // More are a change of keys, and no news.
                if found.news.rows.count > ContentAlert.maximumRowCount { news[slot]?.rows = [] }
            }
            let (new, counts, told, at) = (published.keys.sorted(), published, news, now())
            let publication = try await stored(
                try await store.publish(new, of: set.name, app: set.app, rowCounts: counts, news: told, at: at)
            )
            switch publication {
            case .published: break
            case .superseded: throw .conflict("A later import is there already.")
            case .gone: throw .notFound
            }
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
            guard part.count >= ContentSets.partRows || terms >= Self.partTerms || index == rows.count - 1 else {
                continue
            }
            let full = part
            try await stored(try await store.append(full, to: slot, app: app))
            (part, terms) = ([], 0)
        }
    }
}
