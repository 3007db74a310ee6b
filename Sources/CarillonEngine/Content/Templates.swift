package import CarillonModel
package import CarillonOperatorModel

/// Stores templates.
package protocol TemplateStore: Sendable {
    /// Saves a new template.
    ///
    /// - Returns: The stored template, or why nothing was saved: there is no such App, or the App has the name already.
    func insert(
        _ template: Template,
        for request: IdempotentRequest<Template>?
    ) async throws(StoreError) -> Result<Template, EngineError>

    /// - Returns: `nil` when there is no such template, or it is another App's.
    func template(_ id: TemplateID, within app: AppID?) async throws(StoreError) -> Template?

    /// Returns templates in order of creation.
    ///
    ///   - Parameters:
    ///   - app: The App.
    ///   - id: Only later ones than this.
    ///   - limit: The maximum number of templates.
    /// - Returns: The templates.
    /// - Throws: ``StoreError``.
    func templates(of app: AppID, after id: TemplateID?, limit: Int) async throws(StoreError) -> [Template]

    /// Replaces a template's name and message.
    ///
    /// - Returns: The changed template, or why nothing changed: there is none, or the App has the name already.
    func replace(
        _ id: TemplateID,
        within app: AppID?,
        with request: TemplateRequest,
        at now: Timestamp
    ) async throws(StoreError) -> Result<Template, EngineError>

    /// - Returns: False when there is no such template.
    func delete(_ id: TemplateID, within app: AppID?) async throws(StoreError) -> Bool
}

/// Saved messages for repeated use.
///
/// An accepted Campaign has a copy of its template's message, so later changes do not affect it.
package struct Templates: Sendable {
    /// Maximum number of rows of a page.
    private static let maximumPage = 200

    private let store: any TemplateStore
    private let ids: IDSource
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores templates.
    ///   - ids: Generates ids.
    ///   - clock: The wall clock.
    package init(store: any TemplateStore, ids: IDSource, clock: any WallClock) {
        self.store = store
        self.ids = ids
        self.clock = clock
    }

    /// Saves a template.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when it has a
    ///   template of the name.
    package func create(
        app: AppID,
        _ request: TemplateRequest,
        for repeatable: IdempotentRequest<Template>? = nil
    ) async throws(EngineError) -> Template {
        let now = clock.now()
        let template = Template(
            id: ids.next(),
            app: app,
            name: request.name,
            message: request.message,
            createdAt: now,
            updatedAt: now
        )
        return try await stored(try await store.insert(template, for: repeatable)).get()
    }

    /// Returns a template.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func template(_ id: TemplateID, within app: AppID?) async throws(EngineError) -> Template {
        let found = try await stored(try await store.template(id, within: app))
        guard let found else { throw .notFound(.template) }
        return found
    }

    /// Returns an App's templates in order of creation.
    ///
    ///   - Parameters:
    ///   - app: The App.
    ///   - id: Only later ones than this.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: A page, whose cursor is the last template's id.
    /// - Throws: ``EngineError/store(_:)``.
    package func list(
        app: AppID,
        after id: TemplateID?,
        limit: Int
    ) async throws(EngineError) -> Page<Template> {
        let limit = min(max(1, limit), Self.maximumPage)
        let found = try await stored(try await store.templates(of: app, after: id, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Changes a template; accepted Campaigns keep their copy.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/conflict(_:)`` when the App has another of the name.
    package func replace(
        _ id: TemplateID,
        within app: AppID?,
        with request: TemplateRequest
    ) async throws(EngineError) -> Template {
        let now = clock.now()
        return try await stored(try await store.replace(id, within: app, with: request, at: now)).get()
    }

    /// Deletes a template; accepted Campaigns keep their copy.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func delete(_ id: TemplateID, within app: AppID?) async throws(EngineError) {
        let isDeleted = try await stored(try await store.delete(id, within: app))
        guard isDeleted else { throw .notFound(.template) }
    }
}
