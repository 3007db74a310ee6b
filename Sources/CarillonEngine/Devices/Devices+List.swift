package import CarillonModel
package import CarillonOperatorModel

/// A Device in a list, with its place in the list's order.
package struct ListedDevice: Hashable, Sendable {
    package var device: DeviceID
    package var stored: StoredDevice

    package init(device: DeviceID, stored: StoredDevice) {
        self.device = device
        self.stored = stored
    }
}

extension Devices {
    /// Maximum number of rows of a page.
    private static let maximumPage = 200

    /// Returns an App's Devices in the order in which they registered; a change of its User moves a Device to the end.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - user: Only Devices of this User; `nil` for all.
    ///   - cursor: The cursor of the page before; `nil` for the first.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: The page, without tokens.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/invalid(_:)`` for an invalid
    ///   cursor.
    package func list(
        app: AppID,
        user: UserID?,
        cursor: String?,
        limit: Int
    ) async throws(EngineError) -> Page<DeviceRecord> {
        let after = try DeviceNumber.position(of: cursor)
        let facts = try await apps.facts(app)
        let limit = min(max(1, limit), Self.maximumPage)
        let found = try await stored(try await store.devices(app: app, user: user, after: after, limit: limit + 1))
        let now = clock.now()
        let page = found.prefix(limit)
        return Page(
            items: page.map { facts.applyingRules(to: $0.stored.record($0.device, app: app), at: now) },
            nextCursor: found.count > limit ? page.last?.stored.number.cursor : nil
        )
    }
}
