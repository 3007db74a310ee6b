package import CarillonModel

/// Stores attributes of Users.
package protocol AttributeStore: Sendable {
    /// Returns the attributes of a caller's User.
    func attributes(of caller: DeviceCaller) async throws(StoreError) -> Result<UserAttributes, EngineError>

    /// Reads the attributes and applies a change, in one transaction.
    ///
    /// - Returns: The User's attributes afterwards, or why nothing was changed.
    func apply(
        _ change: UserAttributes,
        of caller: DeviceCaller
    ) async throws(StoreError) -> Result<UserAttributes, EngineError>

    /// Returns the attributes of a User; empty for an unknown one.
    func attributes(of user: UserID, app: AppID) async throws(StoreError) -> UserAttributes

    /// Changes the attributes of Users independently, in one transaction.
    ///
    /// - Parameters:
    ///   - changes: The changes by User, at most a few hundred.
    ///   - app: The Users' App.
    ///   - isBulk: Whether requests go first, as before an import.
    /// - Returns: For each User the attributes afterwards, or why none was changed.
    /// - Throws: ``StoreError``; nothing is changed then.
    func apply(
        _ changes: [UserID: UserAttributes],
        app: AppID,
        isBulk: Bool
    ) async throws(StoreError) -> [UserID: Result<UserAttributes, EngineError>]
}

/// Attributes of Users.
package struct Attributes: Sendable {
    private let store: any AttributeStore
    private let apps: Apps

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores attributes.
    ///   - apps: Checks that an App exists.
    package init(store: any AttributeStore, apps: Apps) {
        self.store = store
        self.apps = apps
    }

    /// Returns the attributes of a Device's User.
    ///
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's, or it
    ///   has no User.
    package func attributes(of caller: DeviceCaller) async throws(EngineError) -> UserAttributes {
        try await stored(try await store.attributes(of: caller)).get()
    }

    /// Sets the given attributes and removes those that are null; the others stay.
    ///
    /// - Throws: As ``attributes(of:)``, and ``EngineError/invalid(_:)`` when the User would have more than 64.
    package func apply(_ change: UserAttributes, of caller: DeviceCaller) async throws(EngineError) -> UserAttributes {
        try await stored(try await store.apply(change, of: caller)).get()
    }

    /// Returns the attributes of a User, for the App's back end.
    ///
    /// - Returns: Empty for an unknown User.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func attributes(of user: UserID, app: AppID) async throws(EngineError) -> UserAttributes {
        _ = try await apps.facts(app)
        return try await stored(try await store.attributes(of: user, app: app))
    }

    /// Sets the given attributes and removes those that are null; the others stay.
    ///
    /// The User need not have a Device yet.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/invalid(_:)`` when the User
    ///   would have more than 64.
    package func apply(
        _ change: UserAttributes,
        to user: UserID,
        app: AppID
    ) async throws(EngineError) -> UserAttributes {
        _ = try await apps.facts(app)
        let results = try await stored(try await store.apply([user: change], app: app, isBulk: false))
        guard let result = results[user] else { throw .store(.failed("A User's attributes have no result.")) }
        return try result.get()
    }
}

extension UserAttributes {
    /// Returns the attributes after a change.
    ///
    /// - Parameter current: The attributes before it, without nulls.
    /// - Returns: The attributes, or ``EngineError/invalid(_:)`` when the User would have more than 64.
    package func plan(for current: UserAttributes) -> Result<UserAttributes, EngineError> {
        let isPlain = current.attributes.isEmpty && !attributes.values.contains(.null)
        let result =
            isPlain ? attributes : current.attributes.merging(attributes) { _, new in new }.filter { $0.value != .null }
        guard result.count <= Self.maximumCount else {
            let problem = "must leave the User at most \(Self.maximumCount) attributes in all"
            return .failure(.invalid(FieldError(field: "attributes", problem: problem)))
        }
        return .success(UserAttributes(attributes: result))
    }
}
