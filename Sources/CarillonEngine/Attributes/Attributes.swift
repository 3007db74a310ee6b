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
}

/// What Apps know about Users.
package struct Attributes: Sendable {
    private let store: any AttributeStore

    /// Joins it together.
    ///
    /// - Parameter store: Keeps attributes.
    package init(store: any AttributeStore) { self.store = store }

    /// The attributes of a Device's User.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/refused(_:)`` for another secret than the Device's or when
    ///   it has no User.
    package func attributes(of caller: DeviceCaller) async throws(EngineError) -> UserAttributes {
        try await stored { () async throws(StoreError) in try await store.attributes(of: caller) }.get()
    }

    /// Sets the attributes that are named and removes those that are null; the others stay.
    ///
    /// - Throws: As ``attributes(of:)``, and ``EngineError/invalid(_:)`` when there would be more than 64.
    package func apply(_ change: UserAttributes, of caller: DeviceCaller) async throws(EngineError) -> UserAttributes {
        try await stored { () async throws(StoreError) in try await store.apply(change, of: caller) }.get()
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
