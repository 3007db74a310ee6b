package import CarillonContentSets
package import CarillonEngine
package import CarillonModel
import StoreErrors

/// The sources of content sets: what operators set, and what came of it.
package struct ContentSources: Sendable {
    private let store: any ContentSourceStore
    private let sets: ContentSets
    private let fetcher: any ContentFetcher
    private let vault: Vault
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores sources.
    ///   - sets: The content sets that they fill.
    ///   - fetcher: Checks addresses.
    ///   - vault: Seals secrets.
    ///   - clock: The wall clock.
    package init(
        store: any ContentSourceStore,
        sets: ContentSets,
        fetcher: any ContentFetcher,
        vault: Vault,
        clock: any WallClock
    ) {
        self.store = store
        self.sets = sets
        self.fetcher = fetcher
        self.vault = vault
        self.clock = clock
    }

    /// Saves a source, which is fetched soon if it is active.
    ///
    /// - Parameters:
    ///   - name: Its name in the set.
    ///   - set: The content set.
    ///   - app: The App.
    ///   - request: What is fetched. When it has no secret, the stored one stays for the same client and addresses.
    /// - Returns: The stored source.
    /// - Throws: ``ContentSetError/notFound``, ``ContentSetError/invalid(_:)``, ``ContentSetError/tooMany(_:limit:)``.
    package func put(
        _ name: String,
        of set: String,
        app: AppID,
        _ request: ContentSourceRequest
    ) async throws(ContentSetError) -> ContentSource {
        let content = try await sets.set(set, app: app)
        var errors: [FieldError] = []
        if !ContentName.isSetName(name) {
            errors.append(FieldError(field: "source", problem: ContentName.setProblem))
        }
        let source = ContentSource(app: app, set: set, name: name, request: request)
        let others = try await stored(try await store.sources(of: set, app: app)).filter { $0.name != name }
        let known = try await stored(try await store.source(name, of: set, app: app))
        errors += addressErrors(request) + tableErrors(source, content.definition, others)
        let isKnown = known.map { $0.hasSecret && $0.request.sendsSecret(as: request) } ?? false
        if request.clientID != nil, request.clientSecret == nil, !isKnown {
            errors.append(FieldError(field: "clientSecret", problem: ContentSourceRequest.secretProblem))
        }
        guard errors.isEmpty else { throw .invalid(errors) }
        let change = try secretChange(request, of: source)
        let now = clock.now()
        return try await stored(try await store.put(source, secret: change, at: now)).get()
    }

    /// - Throws: ``ContentSetError/noSource``.
    package func source(_ name: String, of set: String, app: AppID) async throws(ContentSetError) -> ContentSource {
        guard let source = try await stored(try await store.source(name, of: set, app: app)) else { throw .noSource }
        return source
    }

    /// All sources of a set, of which there are few, in order of their names.
    ///
    /// - Throws: ``ContentSetError/notFound``.
    package func list(of set: String, app: AppID) async throws(ContentSetError) -> ContentList<ContentSource> {
        _ = try await sets.set(set, app: app)
        return ContentList(all: try await stored(try await store.sources(of: set, app: app)))
    }

    /// Deletes a source; the rows that came from it stay.
    ///
    /// - Throws: ``ContentSetError/noSource``.
    package func delete(_ name: String, of set: String, app: AppID) async throws(ContentSetError) {
        guard try await stored(try await store.deleteSource(name, of: set, app: app)) else { throw .noSource }
    }

    /// Fetches an active source soon, whatever its interval is.
    ///
    /// - Throws: ``ContentSetError/noSource``.
    package func fetch(_ name: String, of set: String, app: AppID) async throws(ContentSetError) -> ContentSource {
        let now = clock.now()
        guard let source = try await stored(try await store.makeDue(name, of: set, app: app, at: now)) else {
            throw .noSource
        }
        return source
    }

    // MARK: - Private

    private func addressErrors(_ request: ContentSourceRequest) -> [FieldError] {
        [("url", request.url), ("tokenURL", request.tokenURL)].compactMap { field, url in
            url.flatMap { fetcher.objection(to: $0) }.map { FieldError(field: field, problem: "must \($0)") }
        }
    }

    /// Each table is filled by one source, or two would replace each other's rows; and one has real-time data.
    private func tableErrors(
        _ source: ContentSource,
        _ definition: ContentSetDefinition,
        _ others: [ContentSource]
    ) -> [FieldError] {
        guard let file = source.request.format.file else {
            guard others.contains(where: { $0.request.format.isRealtime }) else { return [] }
            return [FieldError(field: "format", problem: "must be of a file: another source has real-time data")]
        }
        if file.fillsOneTable {
            if let table = source.request.table, definition.table(table) == nil {
                return [FieldError(field: "table", problem: "must be a table of the content set")]
            }
            if source.request.table == nil, definition.tables.count > 1 {
                return [FieldError(field: "table", problem: "is required: the content set has several")]
            }
        }
        let tables = source.tables(of: definition)
        guard !tables.isEmpty else {
            let names = file.tables.joined(separator: ", ")
            return [FieldError(field: "format", problem: "must fit the set, which has none of the tables \(names)")]
        }
        let filled = Set(others.flatMap { $0.tables(of: definition) })
        guard let table = tables.first(where: filled.contains) else { return [] }
        let field = file.fillsOneTable ? "table" : "format"
        return [FieldError(field: field, problem: "must fill other tables: a source fills \(table) already")]
    }

    private func secretChange(
        _ request: ContentSourceRequest,
        of source: ContentSource
    ) throws(ContentSetError) -> ContentSecretChange {
        guard request.clientID != nil else { return .remove }
        guard let secret = request.clientSecret else { return .keep }
        do throws(StoreError) {
            return .set(try vault.seal(Array(secret.utf8), purpose: source.secretPurpose))
        } catch {
            throw .store(error)
        }
    }
}

extension ContentSource {
    /// What its secret is sealed for.
    var secretPurpose: String { .contentSource(app, set: set, name: name) }
}
