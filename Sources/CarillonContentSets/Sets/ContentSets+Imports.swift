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
        before id: ContentImportID?,
        limit: Int
    ) async throws(ContentSetError) -> ContentList<ContentImportRun> {
        _ = try await set(name, app: app)
        let limit = min(max(1, limit), 200)
        let found = try await stored(try await store.runs(of: name, app: app, before: id, limit: limit + 1))
        let at = now()
        return ContentList(found.map { $0.seen(at: at) }, limit: limit) { $0.id.description }
    }

    /// Imports a file: its tables get a new version as a whole, or keep the last one.
    ///
    /// An import whose task is cancelled ends at the next part of its rows, and its run says so.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - format: What it is.
    ///   - table: The table that it fills, for formats of one table.
    ///   - name: The set.
    ///   - app: The App.
    ///   - source: The source that it was fetched from; `nil` for a file that was sent.
    /// - Returns: The completed run.
    /// - Throws: ``ContentSetError/notFound``; ``ContentSetError/invalid(_:)`` for a table or format that the set does not
    ///   have; ``ContentSetError/conflict(_:)`` while another import fills a table; ``ContentSetError/refused(_:)`` with the
    ///   run when the file is not what it should be; ``ContentSetError/store(_:)``. The last good version stays then.
    package func importFile(
        _ bytes: [UInt8],
        _ format: ContentFormat,
        table: String?,
        into name: String,
        app: AppID,
        source: String? = nil
    ) async throws(ContentSetError) -> ContentImportRun {
        let set = try await self.set(name, app: app)
        let tables = try Self.tables(format, set.definition, table)
        try? await dropUnused(app: app)
        var run = ContentImportRun(
            id: ContentImportID(rawValue: nextID()),
            format: format,
            table: format.fillsOneTable ? tables.first?.name : nil,
            source: source,
            startedAt: now()
        )
        try await begin(run, of: name, app: app)
        let begun = run
        let (loaded, isCancelled) = await withHeartbeat(of: begun, of: name, app: app) {
            await load(bytes, tables, into: set, begun)
        }
        run = loaded.run
        if let error = loaded.error { throw await failure(error, &run, of: name, app: app, isCancelled: isCancelled) }
        try await end(&run, .completed, of: name, app: app)
        try? await dropUnused(app: app)
        return run
    }

    // MARK: - Private

    /// A version that nobody sees yet.
    private struct NewVersion {
        var table: ContentTable
        var slot: Int64
    }

    /// Reads a file, writes its rows and publishes them.
    ///
    /// - Returns: The run with what is known of the file, and why nothing is published.
    private func load(
        _ bytes: [UInt8],
        _ tables: [ContentTable],
        into set: ContentSet,
        _ run: ContentImportRun
    ) async -> (run: ContentImportRun, error: (any Error)?) {
        let app = set.app
        var (run, versions): (ContentImportRun, [NewVersion]) = (run, [])
        do {
            for table in tables {
                // The number tells which import began later: it is drawn before the file is read, which may take long.
                let at = now()
                let slot = try await store.begin(table, of: set.name, app: app, at: at)
                versions.append(NewVersion(table: table, slot: slot))
            }
            let file = try await ContentFile.reading(
                bytes,
                run.format,
                for: set.definition,
                table: run.table,
                limits: limits
            )
            run.note(file.report)
            try check(file, versions, over: set)
            for version in versions { try await append(file, to: version, app: app) }
            run.tables = try await publish(versions, file, of: set.name, app: app)
            return (run, nil)
        } catch {
            try? await store.discard(versions.map(\.slot), app: app)
            return (run, error)
        }
    }

    /// Refuses a file of several tables that would empty one of them, such as an answer of which a part is missing.
    private func check(_ file: ContentFile, _ versions: [NewVersion], over set: ContentSet) throws(ContentFileProblem) {
        guard versions.count > 1 else { return }
        for table in versions.map(\.table.name) {
            let count = set.versions[table]?.rowCount ?? 0
            if count > 0, file.tables[table]?.count ?? 0 == 0 {
                throw ContentFileProblem("has no row of \(table), of which there are \(count)")
            }
        }
    }

    /// Ends a run that failed.
    private func failure(
        _ error: any Error,
        _ run: inout ContentImportRun,
        of name: String,
        app: AppID,
        isCancelled: Bool
    ) async -> ContentSetError {
        let problem = error as? ContentFileProblem
        if let problem {
            run.problems = ["The file \(problem.text)."]
        } else {
            let text = isCancelled ? ContentImportRun.cutOff : "The import ended before the new version was there."
            run.problems.append(text)
        }
        do throws(ContentSetError) {
            try await end(&run, .failed, of: name, app: app)
        } catch {
            return error
        }
        if problem != nil { return .refused(run) }
        if isCancelled { return .store(.unavailable(ContentImportRun.cutOff)) }
        if let error = error as? StoreError { return .store(error) }
        return error as? ContentSetError ?? .store(.failed("The import ended early."))
    }

    /// - Throws: ``ContentSetError/notFound`` when the run is gone: so is its set.
    private func end(
        _ run: inout ContentImportRun,
        _ state: ContentImportRun.State,
        of name: String,
        app: AppID
    ) async throws(ContentSetError) {
        (run.state, run.endedAt, run.heartbeatAt) = (state, now(), nil)
        let ended = run
        guard try await stored(try await store.save(ended, of: name, app: app)) else { throw .notFound }
    }

    /// Publishes those of a file's versions that differ from the current ones.
    private func publish(
        _ versions: [NewVersion],
        _ file: ContentFile,
        of name: String,
        app: AppID
    ) async throws(ContentSetError) -> [ContentImportRun.TableChanges] {
        for _ in 0..<Self.publishAttempts {
            let current = try await set(name, app: app).versions
            var comparison = Comparison()
            for version in versions {
                let found = try await stored(
                    try await store.changes(from: current[version.table.name]?.slot, to: version.slot, app: app)
                )
                let rowCount = file.tables[version.table.name]?.count ?? 0
                comparison.note(found, of: version, over: current[version.table.name], rowCount: rowCount)
            }
            let (compared, at) = (comparison, now())
            try Self.checkCancellation()
            let publication = try await stored(
                try await store.publish(
                    compared.rowCounts.keys.sorted(),
                    of: name,
                    app: app,
                    over: compared.current,
                    rowCounts: compared.rowCounts,
                    news: compared.news,
                    at: at
                )
            )
            switch publication {
            case .published:
                let unchanged = versions.map(\.slot).filter { compared.rowCounts[$0] == nil }
                try? await store.discard(unchanged, app: app)
                return compared.changes
            case .outdated: continue
            case .superseded: throw .conflict("A later import is there already.")
            case .gone: throw .notFound
            }
        }
        throw .conflict("Other imports end at the same time.")
    }

    /// How versions differ from the current ones.
    private struct Comparison {
        var changes: [ContentImportRun.TableChanges] = []
        /// The current versions by table; 0 where there is none.
        var current: [String: Int64] = [:]
        /// The rows of the versions that differ.
        var rowCounts: [Int64: Int] = [:]
        var news: [Int64: ContentNews] = [:]

        mutating func note(
            _ found: ContentChanges,
            of version: NewVersion,
            over last: ContentSet.Version?,
            rowCount: Int
        ) {
            let change = ContentImportRun.TableChanges(
                name: version.table.name,
                imported: found.imported,
                changed: found.changed,
                gone: found.gone,
                rows: rowCount
            )
            changes.append(change)
            current[version.table.name] = last?.slot ?? 0
            // A table that was defined anew is published even if its rows are the same.
            if change.isChange || last?.table != version.table { rowCounts[version.slot] = rowCount }
            news[version.slot] = found.news
            // More are a change of keys, and no news.
            if found.news.rows.count > ContentAlert.maximumRowCount { news[version.slot]?.rows = [] }
        }
    }

    private func append(_ file: ContentFile, to version: NewVersion, app: AppID) async throws(ContentSetError) {
        let (table, slot) = (version.table, version.slot)
        let rows = file.tables[table.name] ?? []
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
            try Self.checkCancellation()
            try await stored(try await store.append(full, to: slot, app: app))
            (part, terms) = ([], 0)
        }
    }
}
