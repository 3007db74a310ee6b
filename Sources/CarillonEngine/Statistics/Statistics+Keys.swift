package import CarillonModel
package import CarillonOperatorModel

extension Statistics {
    /// Creates a key.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when it has 1,000
    ///   keys.
    package func create(
        app: AppID,
        _ request: StatisticsKeyRequest,
        for repeatable: IdempotentRequest<StatisticsKey>? = nil
    ) async throws(EngineError) -> StatisticsKey {
        let key = StatisticsKey(id: ids.next(), app: app, request: request, createdAt: clock.now())
        let isKept = try await stored(try await store.insert(key, limit: Self.keyLimit, for: repeatable?.map { key }))
        guard let isKept else { throw .notFound(.app) }
        guard isKept else { throw .conflict("The App has \(Self.keyLimit) statistics ids already.") }
        return key
    }

    package func key(_ id: StatisticsID, within app: AppID?) async throws(EngineError) -> StatisticsKey {
        try await found(try await store.key(id, within: app))
    }

    /// Returns keys in order of creation.
    ///
    /// - Parameters:
    ///   - app: Of one App; `nil` for all.
    ///   - id: Only later ones than this.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: A page, whose cursor is the last key's id.
    /// - Throws: ``EngineError/store(_:)``.
    package func keys(
        app: AppID?,
        after id: StatisticsID?,
        limit: Int
    ) async throws(EngineError) -> Page<StatisticsKey> {
        let limit = min(max(1, limit), 200)
        let found = try await stored(try await store.keys(app: app, after: id, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Changes a key's name and times; the times apply from now on.
    package func update(
        _ id: StatisticsID,
        within app: AppID?,
        _ request: StatisticsKeyRequest
    ) async throws(EngineError) -> StatisticsKey {
        try await found(try await store.update(id, within: app, request))
    }

    package func delete(_ id: StatisticsID, within app: AppID?) async throws(EngineError) {
        let isGone = try await stored(try await store.delete(id, within: app))
        guard isGone else { throw .notFound(.statisticsKey) }
    }

    private func found(
        _ call: @autoclosure () async throws(StoreError) -> StatisticsKey?
    ) async throws(EngineError) -> StatisticsKey {
        guard let key = try await stored(try await call()) else { throw .notFound(.statisticsKey) }
        return key
    }
}

extension Campaigns {
    /// Checks that a Campaign's statistics key exists.
    func checkStatistics(_ id: StatisticsID?, app: AppID) async throws(EngineError) {
        guard let id else { return }
        let isKnown = try await stored(try await store.hasStatisticsKey(id, app: app))
        guard isKnown else {
            throw .invalid(FieldError(field: "statisticsID", problem: "must be a statistics id of the App"))
        }
    }
}
