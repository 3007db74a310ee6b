package import CarillonModel
package import CarillonOperatorModel

/// The result of creating a tag.
package enum TagInsertion: Hashable, Sendable {
    case added
    /// Another tag of the App has the id.
    case taken
    /// The App has the maximum number of tags.
    case full
}

/// A position in the list of a tag's Users: those with Devices first, in the order of their first Devices, then the
/// others, ordered by id.
package enum TagUserPosition: Hashable, Sendable {
    case device(DeviceNumber)
    case user(UserID)
}

/// Stores the tags of Apps, and of their Users.
package protocol TagStore: Sendable {
    /// Adds a tag, unless the App has `limit` tags.
    func insert(
        _ tag: Tag,
        app: AppID,
        limit: Int,
        for request: IdempotentRequest<Tag>?
    ) async throws(StoreError) -> TagInsertion

    /// Returns tags of an App ordered by id.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - name: Only those of this name; `nil` for all.
    ///   - after: The last one of the page before.
    ///   - limit: The maximum number of tags.
    /// - Returns: The tags.
    /// - Throws: ``StoreError``.
    func tags(app: AppID, named name: String?, after: TagID?, limit: Int) async throws(StoreError) -> [Tag]

    /// Returns a tag; `nil` when there is none.
    func tag(_ tag: TagID, app: AppID) async throws(StoreError) -> Tag?

    /// Renames a tag; `nil` when there is none.
    func rename(_ tag: TagID, to name: String, app: AppID, at: Timestamp) async throws(StoreError) -> Tag?

    /// Deletes a tag: first it cannot be added any more, then it is removed in steps from all Users.
    ///
    /// - Returns: False when there is no such tag.
    func delete(_ tag: TagID, app: AppID) async throws(StoreError) -> Bool

    /// Completes interrupted deletions.
    func removeLeftovers(app: AppID) async throws(StoreError)

    /// Returns the tags of a caller's User.
    func tags(of caller: DeviceCaller) async throws(StoreError) -> Result<Set<TagID>, EngineError>

    /// Reads the User's tags and applies a change, in one transaction.
    ///
    /// - Returns: The User's tags afterwards, or why nothing was changed.
    func apply(
        _ change: TagChange,
        of caller: DeviceCaller
    ) async throws(StoreError) -> Result<Set<TagID>, EngineError>

    /// Returns the number of a tag, by its name or else its id; of several with one name the oldest.
    func number(named name: String, app: AppID) async throws(StoreError) -> Int64?

    // MARK: Users

    /// Returns the tags of a User; empty for an unknown one.
    func tags(of user: UserID, app: AppID) async throws(StoreError) -> Set<TagID>

    /// Changes the tags of several Users in one transaction, of all or none.
    ///
    /// - Returns: The tags of each afterwards, or why nothing was changed.
    func apply(
        _ change: TagChange,
        to users: [UserID],
        app: AppID
    ) async throws(StoreError) -> Result<[UserID: Set<TagID>], EngineError>

    /// Returns up to `limit` Users of a tag, without repetition, after one.
    ///
    /// - Returns: The Users, and where the list continues; the position is `nil` at the end, the result when there is
    ///   no such tag.
    func users(
        of tag: TagID,
        app: AppID,
        after: TagUserPosition?,
        limit: Int
    ) async throws(StoreError) -> (users: [UserID], next: TagUserPosition?)?
}

extension TagStore {
    /// Adds a tag without an idempotency key, unless the App has `limit` tags.
    package func insert(_ tag: Tag, app: AppID, limit: Int) async throws(StoreError) -> TagInsertion {
        try await insert(tag, app: app, limit: limit, for: nil)
    }
}
