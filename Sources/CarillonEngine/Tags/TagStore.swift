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

/// Keeps the tags of Apps, and which of them Users have.
package protocol TagStore: Sendable {
    /// Adds a tag, unless the App has `limit` tags.
    func insert(_ tag: Tag, app: AppID, limit: Int) async throws(StoreError) -> TagInsertion

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
}
