package import CarillonContentSets
import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import StoreErrors

/// What the User of a Device follows, under names of their own: other Users and operators have the same ones.
///
/// In an App of signed identity they are the User's on all Devices. Where anybody may claim a User, a Device sees and changes
/// those alone that it has made for its User: what others follow is nobody else's business.
extension ContentFollows {
    /// A Device and its User.
    package struct Follower: Hashable, Sendable {
        package var user: UserID
        package var device: DeviceID

        package init(user: UserID, device: DeviceID) {
            self.user = user
            self.device = device
        }
    }

    /// Saves a follow of a User, in place of theirs of the same name.
    ///
    /// - Returns: The follow, with the name that the User knows.
    /// - Throws: As ``put(_:of:app:_:)``; ``ContentSetError/invalid(_:)`` also when the request names somebody.
    package func put(
        _ name: String,
        of set: String,
        app: AppID,
        by follower: Follower,
        _ request: ContentFollowRequest
    ) async throws(ContentSetError) -> ContentFollow {
        guard request.user == nil, request.audience == nil else {
            let field = request.user == nil ? "audience" : "user"
            throw .invalid([FieldError(field: field, problem: "must be left out: it is the Device's User")])
        }
        var request = request
        request.user = follower.user
        let beginning = try await beginning(follower, app)
        var follow = try await save(name, as: beginning + name, of: set, app: app, request)
        follow.name = name
        return follow
    }

    /// What a Device may see of what its User follows in a set, in order of the names that the User knows.
    ///
    /// - Throws: ``ContentSetError/notFound``.
    package func list(
        of set: String,
        app: AppID,
        by follower: Follower
    ) async throws(ContentSetError) -> ContentList<ContentFollow> {
        let follows = try await visible(to: follower, of: set, app).map { follow in
            var follow = follow
            follow.name = Self.name(of: follow)
            return follow
        }
        return ContentList(all: follows.sorted { $0.name < $1.name })
    }

    /// Deletes a follow that a Device may see: its User's own, or one that a back end has made for them.
    ///
    /// - Throws: ``ContentSetError/noFollow``.
    package func delete(
        _ name: String,
        of set: String,
        app: AppID,
        by follower: Follower
    ) async throws(ContentSetError) {
        let follows: [ContentFollow]
        do throws(ContentSetError) {
            follows = try await visible(to: follower, of: set, app).filter { Self.name(of: $0) == name }
        } catch {
            throw error == .notFound ? .noFollow : error
        }
        // What the User has made goes first: a back end may have used the name too.
        guard let first = follows.first(where: { $0.name != name }) ?? follows.first else { throw .noFollow }
        let isOwn = first.name != name
        for follow in follows where (follow.name != name) == isOwn {
            try await delete(follow.name, of: set, app: app)
        }
    }

    /// Whether a text can be the name of a stored follow.
    package static func isStoredName(_ text: String) -> Bool {
        isName(text) || (text.hasPrefix("~") && text.utf8.count <= 1_000 && text.utf8.allSatisfy { $0 >= 0x20 })
    }

    // MARK: - Private

    private func visible(
        to follower: Follower,
        of set: String,
        _ app: AppID
    ) async throws(ContentSetError) -> [ContentFollow] {
        let user = follower.user
        let page = try await list(of: set, app: app, user: user, after: nil, limit: 2 * ContentFollow.maximumCount)
        guard try await identity(of: app) == .open else { return page.items }
        let beginning = Self.beginning(user) + "\(follower.device)~"
        return page.items.filter { $0.name.hasPrefix(beginning) }
    }

    /// How the store's names of what a Device makes begin: `~` is in no name.
    private func beginning(_ follower: Follower, _ app: AppID) async throws(ContentSetError) -> String {
        let own = Self.beginning(follower.user)
        return try await identity(of: app) == .open ? own + "\(follower.device)~" : own
    }

    private static func beginning(_ user: UserID) -> String { "~\(user.rawValue)~" }

    private static func name(of follow: ContentFollow) -> String {
        guard follow.name.hasPrefix("~"), let end = follow.name.lastIndex(of: "~") else { return follow.name }
        return String(follow.name[follow.name.index(after: end)...])
    }
}
