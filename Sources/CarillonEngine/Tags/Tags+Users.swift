package import CarillonModel
package import CarillonOperatorModel

/// The tags of Users, as operators change them.
extension Tags {
    /// Makes a change for Users, Devices or not: for all of them or for none.
    ///
    /// A User whom nobody has heard of yet may be given tags; they wait for the first Device.
    ///
    /// - Returns: The tags that each has afterwards.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when more Devices
    ///   share a User than a person has, and what ``TagChange/plan(for:isKnown:)`` says against it.
    package func apply(
        _ change: TagChange,
        to users: [UserID],
        app: AppID
    ) async throws(EngineError) -> [UserID: Set<TagID>] {
        _ = try await apps.facts(app)
        return try await stored(try await store.apply(change, to: users, app: app)).get()
    }

    /// The Users of a tag, each once.
    ///
    /// - Parameters:
    ///   - tag: Which tag.
    ///   - app: Of which App.
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

    /// Where a User stands in lists of a tag's Users, for those who remember Users and not cursors.
    package func position(of user: UserID, app: AppID) async throws(EngineError) -> TagUserPosition {
        try await stored(try await store.position(of: user, app: app))
    }
}

extension TagUserPosition {
    /// The text that a page's cursor is.
    package var text: String {
        switch self {
        case .device(let number): "d\(number.rawValue)"
        case .user(let user): "u" + Base64URL.text(Array(user.rawValue.utf8))
        }
    }

    /// Reads ``text``; `nil` for anything else.
    package init?(text: String) {
        let rest = String(text.dropFirst())
        switch text.first {
        case "d":
            guard let number = Int64(rest) else { return nil }
            self = .device(DeviceNumber(rawValue: number))
        case "u":
            guard let bytes = Base64URL.bytes(rest), let name = String(validating: bytes, as: UTF8.self),
                let user = UserID(rawValue: name)
            else { return nil }
            self = .user(user)
        default: return nil
        }
    }
}
