package import CarillonModel
package import CarillonOperatorModel

/// Tags by name, what uses them, and merging two.
extension Tags {
    /// How many Users a request moves: it is answered within seconds.
    package static let mergeLimit = 20_000
    /// How many Devices or Users one transaction looks at.
    private static let step = 100
    private static let page = 1_000

    /// Returns tags of an App in the order of their names.
    ///
    /// An App has at most 2,048 tags, so all of them are read.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - text: Only those with it in the name, in whatever case; empty for all.
    ///   - cursor: The cursor of the page before.
    ///   - limit: 1 through 1,000.
    /// - Returns: The page.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func search(
        app: AppID,
        _ text: String,
        after cursor: String?,
        limit: Int
    ) async throws(EngineError) -> Page<Tag> {
        var all: [Tag] = []
        var last: TagID?
        repeat {
            let page = try await list(app: app, after: last, limit: Self.page)
            all += page.items
            last = page.nextCursor.flatMap { TagID(rawValue: $0) }
        } while last != nil
        let wanted = text.lowercased()
        // A name has no space.
        let found = all.filter { wanted.isEmpty || $0.name.lowercased().contains(wanted) }
            .map { (key: "\($0.name) \($0.id)", tag: $0) }.sorted { $0.key < $1.key }
            .filter { $0.key > cursor ?? "" }
        let limit = min(max(1, limit), Self.page)
        return Page(found.prefix(limit + 1).map(\.tag), limit: limit) { "\($0.name) \($0.id)" }
    }

    /// Returns what names a tag in a rule.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such tag.
    package func uses(app: AppID, _ tag: TagID) async throws(EngineError) -> TagUses {
        let uses = try await stored(try await store.uses(of: tag, app: app))
        guard let uses else { throw .notFound(.tag) }
        return uses
    }

    /// Counts the Users of some tags: exactly up to `limit` Devices of a tag, otherwise at least so many.
    package func userCounts(
        of tags: [TagID],
        app: AppID,
        limit: Int
    ) async throws(EngineError) -> [TagID: TagUserCount] {
        try await stored(try await store.userCounts(of: tags, app: app, limit: limit))
    }

    /// Gives the Users of a tag another one in its place, and deletes the tag.
    ///
    /// Each User changes at once, some in a transaction, so that nobody waits for long and none is without both meanwhile.
    /// Rules do not follow: while one names the tag, it is not merged, since a rule with both would say another thing than
    /// before.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - tag: The tag that goes.
    ///   - target: The tag that stays.
    ///   - limit: How many Users are moved before it returns.
    /// - Returns: How many were moved, and whether it is done; if not, the same call goes on.
    /// - Throws: ``EngineError/notFound(_:)`` when the App has not both, ``EngineError/invalid(_:)`` when they are the same,
    ///   ``EngineError/conflict(_:)`` while rules name the tag.
    package func merge(
        app: AppID,
        _ tag: TagID,
        into target: TagID,
        limit: Int = Tags.mergeLimit
    ) async throws(EngineError) -> TagMerge {
        guard tag != target else { throw .invalid(FieldError(field: "into", problem: "must be another tag")) }
        let uses = try await uses(app: app, tag)
        guard uses.isEmpty else { throw Self.conflict(uses) }
        let (from, to) = (
            try await stored(try await store.number(of: tag, app: app)),
            try await stored(try await store.number(of: target, app: app))
        )
        guard let from, let to else { throw .notFound(.tag) }
        var users = 0
        guard try await move(from, to, app, limit, &users) else { return TagMerge(users: users, isComplete: false) }
        switch try await stored(try await store.delete(tag, app: app, evenIfUsed: false, movingTo: to)) {
        case .deleted: return TagMerge(users: users, isComplete: true)
        case .missing: throw .notFound(.tag)
        case .used(let uses): throw Self.conflict(uses)
        }
    }

    static func conflict(_ uses: TagUses) -> EngineError {
        let names = uses.audiences.map { "\($0.id) \($0.name)" } + uses.campaigns.map(\.description)
        return .conflict("Rules name the tag: \(names.joined(separator: ", ")).")
    }

    // MARK: - Private

    /// - Returns: Whether there are none left.
    private func move(
        _ from: Int64,
        _ to: Int64,
        _ app: AppID,
        _ limit: Int,
        _ users: inout Int
    ) async throws(EngineError) -> Bool {
        var after: UserID?
        while users < limit {
            let move = try await stored(
                try await store.moveUsers(of: from, to: to, app: app, after: after, limit: Self.step)
            )
            users += move.users
            switch move.next {
            case .done: return true
            case .users(let last): after = last
            }
        }
        return false
    }
}
