package import CarillonModel
package import CarillonOperatorModel

/// The result of creating a tag.
package enum TagInsertion: Hashable, Sendable {
    case added
    /// Another tag of the App has the id.
    case taken
    /// The App has the maximum number of tags.
    case full
    /// Another tag of the App has the name.
    case nameTaken
}

/// The result of renaming a tag.
package enum TagRenaming: Hashable, Sendable {
    case renamed(Tag)
    /// Another tag of the App has the name.
    case nameTaken
    /// The App has no such tag.
    case missing
}

/// The result of deleting a tag.
package enum TagDeletion: Hashable, Sendable {
    case deleted
    /// The App has no such tag.
    case missing
    /// These name it.
    case used(TagUses)
}

/// What names a tag in a rule: some of each, in order.
package struct TagUses: Hashable, Sendable {
    /// How many of each are named.
    package static let limit = 10

    /// Saved Audiences.
    package var audiences: [SavedAudience] = []
    /// Campaigns with a rule of their own that have not ended, and drafts.
    package var campaigns: [CampaignID] = []

    package init() {}

    /// Whether nothing names it.
    package var isEmpty: Bool { audiences.isEmpty && campaigns.isEmpty }
}

/// How many Users have a tag.
package struct TagUserCount: Hashable, Sendable {
    package var users: Int
    /// Whether there may be more.
    package var isLeast: Bool

    package init(users: Int, isLeast: Bool) { (self.users, self.isLeast) = (users, isLeast) }
}

/// How far a tag's Users were given another one.
package struct TagMove: Hashable, Sendable {
    package var users: Int
    package var next: Next

    /// What is next.
    package enum Next: Hashable, Sendable {
        /// Users with Devices, then those without, after one.
        case users(after: UserID?)
        /// There were none left.
        case done
    }

    package init(users: Int, next: Next) { (self.users, self.next) = (users, next) }
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
    func rename(_ tag: TagID, to name: String, app: AppID, at: Timestamp) async throws(StoreError) -> TagRenaming

    /// Deletes a tag: first it cannot be added any more, then it is removed in steps from all Users.
    ///
    /// - Parameters:
    ///   - tag: The tag.
    ///   - app: The App.
    ///   - evenIfUsed: Whether rules may name it.
    ///   - target: The number of a tag that Users who still have it get in its place.
    /// - Returns: The result.
    /// - Throws: ``StoreError``.
    func delete(
        _ tag: TagID,
        app: AppID,
        evenIfUsed: Bool,
        movingTo target: Int64?
    ) async throws(StoreError) -> TagDeletion

    /// What names a tag in a rule; `nil` when there is no such tag.
    func uses(of tag: TagID, app: AppID) async throws(StoreError) -> TagUses?

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

    /// Counts the Users of some tags: exactly up to `limit` Devices of a tag, otherwise at least so many.
    func userCounts(of tags: [TagID], app: AppID, limit: Int) async throws(StoreError) -> [TagID: TagUserCount]

    /// Gives or takes a tag, from those of some Users who are known, in one transaction.
    ///
    /// - Returns: The outcome of each; `nil` when there is no such tag.
    func apply(
        _ change: TagListChange,
        of tag: TagID,
        to users: [UserID],
        app: AppID
    ) async throws(StoreError) -> [TagListOutcome]?

    /// Returns the number of a tag; `nil` when there is none.
    func number(of tag: TagID, app: AppID) async throws(StoreError) -> Int64?

    /// Gives some Users of a tag another one in its place, in one transaction.
    ///
    /// - Parameters:
    ///   - tag: The number of the tag, which may be gone.
    ///   - target: The number of the other one.
    ///   - app: The App.
    ///   - after: The last User without Devices who was looked at.
    ///   - limit: How many Devices or Users are looked at.
    /// - Returns: How many Users were changed, and where it continues.
    /// - Throws: ``StoreError``.
    func moveUsers(
        of tag: Int64,
        to target: Int64,
        app: AppID,
        after: UserID?,
        limit: Int
    ) async throws(StoreError) -> TagMove
}

extension TagStore {
    /// Deletes a tag, whatever names it.
    ///
    /// - Returns: False when there is no such tag.
    package func delete(_ tag: TagID, app: AppID) async throws(StoreError) -> Bool {
        try await delete(tag, app: app, evenIfUsed: true, movingTo: nil) == .deleted
    }

    /// Adds a tag without an idempotency key, unless the App has `limit` tags.
    package func insert(_ tag: Tag, app: AppID, limit: Int) async throws(StoreError) -> TagInsertion {
        try await insert(tag, app: app, limit: limit, for: nil)
    }
}
