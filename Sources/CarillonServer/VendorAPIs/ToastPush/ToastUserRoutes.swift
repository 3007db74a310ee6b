import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// uids and their tags: E27 through E33 of the vendor's documentation.
struct ToastUserRoutes: Sendable {
    let tags: Tags
    let users: Users
    let apps: Apps
    let open: ToastAccess
    let keyed: ToastAccess

    func declare(_ routes: inout Routes) {
        let path = ToastPath.base + "/uids"
        routes.on(.post, path, keyed, setTags)
        routes.on(.get, path + "/{user}", keyed, answersHead: false, recorded: .all, show)
        routes.on(.delete, path, keyed, erase)
        let tags = path + "/{user}/tag-ids"
        routes.on(.post, tags, open, recorded: .wrongKeys) { try await change($0, TagChange.add) }
        routes.on(.get, tags, open, answersHead: false, listTags)
        routes.on(.put, tags, open, recorded: .wrongKeys) { try await change($0, TagChange.replace) }
        routes.on(.delete, tags, open, recorded: .wrongKeys, removeTags)
    }

    // MARK: Back ends: E27, E28, E29

    @Sendable private func setTags(_ call: ToastCall) async throws -> Response {
        let fields = try await call.fields()
        guard let uid = try fields.text("uid") else { throw fields.failure(.empty, "uid") }
        let user = try ToastFields.user(uid, "uid")
        guard let listed = try fields.texts("tagIds") else { throw fields.failure(.empty, "tagIds") }
        try await apply(.replace(try ToastFields.tags(listed, "tagIds")), user, call)
        return try ToastAnswer.success()
    }

    @Sendable private func show(_ call: ToastCall) async throws -> Response {
        let user = try call.user()
        return try await ToastFailure.naming("uid", user.rawValue) {
            _ = try await users.user(user, app: call.app, showsTokens: false)
            return try ToastAnswer.success(["uid": try await users.toast(user, app: call.app)])
        }
    }

    @Sendable private func erase(_ call: ToastCall) async throws -> Response {
        let wanted = try ToastFields.users(call.values.list("uids"), "uids", atMost: ToastTagRoutes.usersAtOnce)
        var unknown: [UserID] = []
        for user in wanted {
            do {
                try await users.erase(user, app: call.app)
            } catch {
                guard error == .notFound(.user) else { throw error }
                unknown.append(user)
            }
        }
        guard unknown.count < wanted.count else { throw ToastFailure(.notFound, "uids", unknown.first?.rawValue) }
        return try ToastAnswer.success()
    }

    // MARK: Apps: E30 through E33

    private func change(_ call: ToastCall, _ change: (Set<TagID>) -> TagChange) async throws -> Response {
        let fields = try await call.fields()
        guard let listed = try fields.texts("tagIds") else { throw fields.failure(.empty, "tagIds") }
        try await apply(change(try ToastFields.tags(listed, "tagIds")), try await clientUser(call), call)
        return try ToastAnswer.success()
    }

    @Sendable private func listTags(_ call: ToastCall) async throws -> Response {
        let user = try await clientUser(call)
        let ids = try await tags.tags(of: user, app: call.app).sorted()
        return try ToastAnswer.success(["tagIds": .array(ids.map { .string($0.rawValue) })])
    }

    @Sendable private func removeTags(_ call: ToastCall) async throws -> Response {
        let listed = call.values.list("tagIds")
        guard !listed.isEmpty else { throw ToastFailure(.empty, "tagIds") }
        try await apply(.remove(try ToastFields.tags(listed, "tagIds")), try await clientUser(call), call)
        return try ToastAnswer.success()
    }

    /// The User of a call by an app, which proves nothing: an App that requires proofs refuses it.
    private func clientUser(_ call: ToastCall) async throws -> UserID {
        let user = try call.user()
        guard !call.isKeyed else { return user }
        try call.limitChange(of: user.rawValue)
        guard try await apps.app(call.app).identity == .open else {
            throw EngineError.refused(.userProofRequired)
        }
        return user
    }

    private func apply(_ change: TagChange, _ user: UserID, _ call: ToastCall) async throws {
        _ = try await tags.changing("tagIds") { try await tags.apply(change, to: [user], app: call.app) }
    }
}
