package import CarillonModel

/// Keeps what Apps know about Users.
package protocol AttributeStore: Sendable {
    /// The attributes of a caller's User.
    func attributes(of caller: DeviceCaller) async throws(StoreError) -> Result<UserAttributes, EngineError>

    /// Reads the attributes, makes the plan and carries it out, in one transaction.
    ///
    /// - Returns: The attributes that the User has afterwards, or why nothing was changed.
    func apply(
        _ change: UserAttributes,
        of caller: DeviceCaller
    ) async throws(StoreError) -> Result<UserAttributes, EngineError>

    /// The attributes of a User; empty for one that nobody knows.
    func attributes(of user: UserID, app: AppID) async throws(StoreError) -> UserAttributes

    /// Changes the attributes of Users, each by itself, in one transaction.
    ///
    /// - Parameters:
    ///   - changes: At most a few hundred, a User once.
    ///   - app: Whose.
    /// - Returns: For each User the attributes afterwards, or why none of theirs was changed.
    /// - Throws: ``StoreError``; nothing is changed then.
    func apply(
        _ changes: [UserID: UserAttributes],
        app: AppID
    ) async throws(StoreError) -> [UserID: Result<UserAttributes, EngineError>]
}

/// What Apps know about Users.
package struct Attributes: Sendable {
    private let store: any AttributeStore
    private let apps: Apps

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Keeps attributes.
    ///   - apps: Knows which Apps there are.
    package init(store: any AttributeStore, apps: Apps) {
        self.store = store
        self.apps = apps
    }

    /// The attributes of a Device's User.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/refused(_:)`` for another secret than the Device's or when
    ///   it has no User.
    package func attributes(of caller: DeviceCaller) async throws(EngineError) -> UserAttributes {
        try await stored(try await store.attributes(of: caller)).get()
    }

    /// Sets the attributes that are named and removes those that are null; the others stay.
    ///
    /// - Throws: As ``attributes(of:)``, and ``EngineError/invalid(_:)`` when there would be more than 64.
    package func apply(_ change: UserAttributes, of caller: DeviceCaller) async throws(EngineError) -> UserAttributes {
        try await stored(try await store.apply(change, of: caller)).get()
    }

    /// The attributes of a User, for the App's own back end.
    ///
    /// - Returns: Empty for a User that nobody knows.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func attributes(of user: UserID, app: AppID) async throws(EngineError) -> UserAttributes {
        _ = try await apps.facts(app)
        return try await stored(try await store.attributes(of: user, app: app))
    }

    /// Sets the attributes that are named and removes those that are null; the others stay.
    ///
    /// The User need not have a Device yet.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/invalid(_:)`` when there would be
    ///   more than 64.
    package func apply(
        _ change: UserAttributes,
        to user: UserID,
        app: AppID
    ) async throws(EngineError) -> UserAttributes {
        _ = try await apps.facts(app)
        let results = try await stored(try await store.apply([user: change], app: app))
        guard let result = results[user] else { throw .store(.failed("A User's attributes have no result.")) }
        return try result.get()
    }
}

extension UserAttributes {
    /// The attributes after a change.
    ///
    /// - Parameter current: The attributes before it, without nulls.
    /// - Returns: The attributes, or ``EngineError/invalid(_:)`` when there would be more than 64.
    package func plan(for current: UserAttributes) -> Result<UserAttributes, EngineError> {
        let result = current.attributes.merging(attributes) { _, new in new }.filter { $0.value != .null }
        guard result.count <= Self.maximumCount else {
            let problem = "must leave the User at most \(Self.maximumCount) attributes in all"
            return .failure(.invalid(FieldError(field: "attributes", problem: problem)))
        }
        return .success(UserAttributes(attributes: result))
    }
}
