import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel

/// Changes of Users' tags by operators.
extension Tags {
    /// Changes the tags of Users with or without Devices, of all or none.
    ///
    /// Unknown Users may get tags too, which apply from their first Device on.
    ///
    /// - Returns: The tags of each afterwards.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when a User has
    ///   too many Devices, and the errors of ``TagChange/plan(for:isKnown:)``.
    package func apply(
        _ change: TagChange,
        to users: [UserID],
        app: AppID
    ) async throws(EngineError) -> [UserID: Set<TagID>] {
        _ = try await apps.facts(app)
        return try await stored(try await store.apply(change, to: users, app: app)).get()
    }

    /// Returns the tags of a User; empty for an unknown one.
    package func tags(of user: UserID, app: AppID) async throws(EngineError) -> Set<TagID> {
        try await stored(try await store.tags(of: user, app: app))
    }

    /// Returns the Users of a tag, without repetition.
    ///
    /// - Parameters:
    ///   - tag: The tag.
    ///   - app: The App.
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 1,000.
    /// - Returns: The page.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such tag.
    package func users(
        of tag: TagID,
        app: AppID,
        after: TagUserPosition?,
        limit: Int
    ) async throws(EngineError) -> Page<UserID> {
        let limit = min(max(1, limit), 1_000)
        let found = try await stored(try await store.users(of: tag, app: app, after: after, limit: limit))
        guard let found else { throw .notFound(.tag) }
        return Page(items: found.users, nextCursor: found.next?.text)
    }
}

extension TagUserPosition {
    /// The text of a page's cursor.
    package var text: String {
        switch self {
        case .device(let number): "d\(number.rawValue)"
        case .user(let user): "u" + Base64URL.encode(user.rawValue.utf8)
        }
    }

    /// Parses ``text``; `nil` when it is invalid.
    package init?(text: String) {
        let rest = String(text.dropFirst())
        switch text.first {
        case "d":
            guard let number = Int64(rest) else { return nil }
            self = .device(DeviceNumber(rawValue: number))
        case "u":
            guard let bytes = Base64URL.decode(rest.utf8), let name = String(validating: bytes, as: UTF8.self),
                let user = UserID(rawValue: name)
            else { return nil }
            self = .user(user)
        default: return nil
        }
    }
}
