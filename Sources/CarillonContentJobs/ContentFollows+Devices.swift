package import CarillonContentSets
package import CarillonModel
import StoreErrors

/// What the User of a Device follows, under names of their own: other Users and operators have the same ones.
extension ContentFollows {
    /// Saves a follow of a User, in place of theirs of the same name.
    ///
    /// - Returns: The follow, with the name that the User knows.
    /// - Throws: As ``put(_:of:app:_:)``; ``ContentSetError/invalid(_:)`` also when the request names somebody.
    package func put(
        _ name: String,
        of set: String,
        app: AppID,
        user: UserID,
        _ request: ContentFollowRequest
    ) async throws(ContentSetError) -> ContentFollow {
        guard request.user == nil, request.audience == nil else {
            let field = request.user == nil ? "audience" : "user"
            throw .invalid([FieldError(field: field, problem: "must be left out: it is the Device's User")])
        }
        var request = request
        request.user = user
        var follow = try await save(name, as: Self.storedName(name, of: user), of: set, app: app, request)
        follow.name = name
        return follow
    }

    /// All follows of a User in a set, in order of the names that the User knows.
    ///
    /// - Throws: ``ContentSetError/notFound``.
    package func list(
        of set: String,
        app: AppID,
        user: UserID
    ) async throws(ContentSetError) -> ContentList<ContentFollow> {
        let page = try await list(of: set, app: app, user: user, after: nil, limit: 2 * ContentFollow.maximumCount)
        let follows = page.items.map { follow in
            var follow = follow
            follow.name = Self.name(of: follow)
            return follow
        }
        return ContentList(all: follows.sorted { $0.name < $1.name })
    }

    /// Deletes a follow of a User: theirs, or one that a back end has made for them.
    ///
    /// - Throws: ``ContentSetError/noFollow``.
    package func delete(
        _ name: String,
        of set: String,
        app: AppID,
        user: UserID
    ) async throws(ContentSetError) {
        let own = Self.storedName(name, of: user)
        if try await stored(try await store.deleteFollow(own, of: set, app: app)) { return }
        guard try await follow(name, of: set, app: app).user == user else { throw .noFollow }
        try await delete(name, of: set, app: app)
    }

    /// Whether a text can be the name of a stored follow.
    package static func isStoredName(_ text: String) -> Bool {
        isName(text) || (text.hasPrefix("~") && text.utf8.count <= 1_000 && text.utf8.allSatisfy { $0 >= 0x20 })
    }

    /// The name by which the store knows a follow that a User has made: `~` is in no name.
    private static func storedName(_ name: String, of user: UserID) -> String { "~\(user.rawValue)~\(name)" }

    private static func name(of follow: ContentFollow) -> String {
        guard follow.name.hasPrefix("~"), let end = follow.name.lastIndex(of: "~") else { return follow.name }
        return String(follow.name[follow.name.index(after: end)...])
    }
}
