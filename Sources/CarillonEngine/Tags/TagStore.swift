package import CarillonModel
package import CarillonOperatorModel

/// What became of a new tag.
package enum TagInsertion: Hashable, Sendable {
    case added
    /// Another tag of the App has the id.
    case taken
    /// The App has as many tags as it may.
    case full
}

/// Where one stands in the list of a tag's Users: those with Devices come first, in the order of their first Devices,
/// then the others, in the order of their ids.
package enum TagUserPosition: Hashable, Sendable {
    case device(DeviceNumber)
    case user(UserID)
}

/// Keeps the tags of Apps, and which of them Users have.
package protocol TagStore: Sendable {
    /// Adds a tag, unless the App has `limit` tags.
    func insert(
        _ tag: Tag,
        app: AppID,
        limit: Int,
        for request: IdempotentRequest<Tag>?
    ) async throws(StoreError) -> TagInsertion

    /// Tags of an App in the order of their ids, after one, at most so many.
    ///
    /// - Parameters:
    ///   - app: Whose tags.
    ///   - name: Only those of this name; `nil` for all.
    ///   - after: The last one before.
    ///   - limit: How many at most.
    /// - Returns: The tags.
    /// - Throws: ``StoreError``.
    func tags(app: AppID, named name: String?, after: TagID?, limit: Int) async throws(StoreError) -> [Tag]

    /// A tag; `nil` when there is none.
    func tag(_ tag: TagID, app: AppID) async throws(StoreError) -> Tag?

    /// Gives a tag another name; `nil` when there is none.
    func rename(_ tag: TagID, to name: String, app: AppID, at: Timestamp) async throws(StoreError) -> Tag?

    /// Deletes a tag, first for new uses and then, in steps, with every User.
    ///
    /// - Returns: False when there is no such tag.
    func delete(_ tag: TagID, app: AppID) async throws(StoreError) -> Bool

    /// Finishes deletions that were cut off.
    func removeLeftovers(app: AppID) async throws(StoreError)

    /// The tags of a caller's User.
    func tags(of caller: DeviceCaller) async throws(StoreError) -> Result<Set<TagID>, EngineError>

    /// Reads the User's tags, makes the plan and carries it out, in one transaction.
    ///
    /// - Returns: The tags that the User has afterwards, or why nothing was changed.
    func apply(
        _ change: TagChange,
        of caller: DeviceCaller
    ) async throws(StoreError) -> Result<Set<TagID>, EngineError>

    /// The number that rows know a tag by, by its name or else its id; of several with one name the first made.
    func number(named name: String, app: AppID) async throws(StoreError) -> Int64?

    // MARK: Users

    /// The tags of a User; none when nothing is known of them.
    func tags(of user: UserID, app: AppID) async throws(StoreError) -> Set<TagID>

    /// Makes a change for several Users in one transaction: for all of them or for none.
    ///
    /// - Returns: The tags that each has afterwards, or why nothing was changed.
    func apply(
        _ change: TagChange,
        to users: [UserID],
        app: AppID
    ) async throws(StoreError) -> Result<[UserID: Set<TagID>], EngineError>

    /// The Users of a tag, each once, after one, at most so many.
    ///
    /// - Returns: The Users, and where to go on; `nil` for the position at the end, and for all when there is no such
    ///   tag.
    func users(
        of tag: TagID,
        app: AppID,
        after: TagUserPosition?,
        limit: Int
    ) async throws(StoreError) -> (users: [UserID], next: TagUserPosition?)?

    /// Where a User stands in such lists.
    func position(of user: UserID, app: AppID) async throws(StoreError) -> TagUserPosition
}

extension TagStore {
    /// Adds a tag that no request may ask for again, unless the App has `limit` tags.
    package func insert(_ tag: Tag, app: AppID, limit: Int) async throws(StoreError) -> TagInsertion {
        try await insert(tag, app: app, limit: limit, for: nil)
    }
}
