package import CarillonModel
package import CarillonOperatorModel

/// Stores the labels of categories.
package protocol CategoryStore: Sendable {
    /// Defines a label, or changes the title of a defined one.
    ///
    /// - Returns: The label; `nil` when the App has the maximum number.
    func define(_ request: CategoryRequest, app: AppID, at: Timestamp) async throws(StoreError) -> CategoryLabel?

    /// Removes the definition of a label, which stays in the list while Devices are in it.
    ///
    /// - Returns: False when no such label is defined.
    func undefine(_ name: CategoryName, app: AppID) async throws(StoreError) -> Bool

    /// Returns up to `limit` labels ordered by dimension and label, after one.
    func labels(
        app: AppID,
        isDefined: Bool?,
        after: CategoryName?,
        limit: Int
    ) async throws(StoreError) -> [CategoryLabel]
}

/// The labels of Devices: defined by operators, or reported by Devices without a definition.
package struct Categories: Sendable {
    private let store: any CategoryStore
    private let apps: Apps
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores labels.
    ///   - apps: Checks that an App exists.
    ///   - clock: The time of a definition.
    package init(store: any CategoryStore, apps: Apps, clock: any WallClock) {
        self.store = store
        self.apps = apps
        self.clock = clock
    }

    /// Defines a label; Devices that reported it before are in it.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when it has the
    ///   maximum number of labels.
    package func define(_ request: CategoryRequest, app: AppID) async throws(EngineError) -> CategoryLabel {
        _ = try await apps.facts(app)
        let now = clock.now()
        let label = try await stored(try await store.define(request, app: app, at: now))
        guard let label else {
            throw .conflict("The App has the maximum of \(CategoryLabel.maximumCount) labels.")
        }
        return label
    }

    /// Removes the definition of a label; the Devices in it stay, and it is listed as undefined.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when no such label is defined.
    package func undefine(_ name: CategoryName, app: AppID) async throws(EngineError) {
        let wasThere = try await stored(try await store.undefine(name, app: app))
        guard wasThere else { throw .notFound(.category) }
    }

    /// Returns labels of an App, those of one-dimensional categories first.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - isDefined: Only defined ones, or only undefined ones; `nil` for all.
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 200.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func list(
        app: AppID,
        isDefined: Bool? = nil,
        after: CategoryName? = nil,
        limit: Int
    ) async throws(EngineError) -> Page<CategoryLabel> {
        _ = try await apps.facts(app)
        let limit = min(max(1, limit), 200)
        let found = try await stored(
            try await store.labels(app: app, isDefined: isDefined, after: after, limit: limit + 1)
        )
        return Page(found, limit: limit) { $0.name.cursor }
    }
}

extension CategoryLabel {
    /// The name of the label.
    var name: CategoryName { CategoryName(dimension: dimension ?? "", label: label) }
}

extension CategoryName {
    /// The cursor of a page that ends with this label.
    package var cursor: String {
        TextCursor.cursor(of: dimension) + "." + TextCursor.cursor(of: label)
    }

    /// Parses ``cursor``; `nil` when it is invalid.
    package init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false).map(TextCursor.text(of:))
        guard parts.count == 2, let dimension = parts[0], let label = parts[1] else { return nil }
        self.init(dimension: dimension, label: label)
    }
}
