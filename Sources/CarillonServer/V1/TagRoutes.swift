import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/apps/{app}/tags`: operators, by API key; `/v1/devices/{device}/tags`: the SDK, for the Device's User.
struct TagRoutes: Sendable {
    let tags: Tags
    let credentials: Credentials
    let repeats: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/apps/{app}/tags", create)
        routes.on(.get, "/v1/apps/{app}/tags", list)
        routes.on(.get, "/v1/apps/{app}/tags/{tag}", show)
        routes.on(.patch, "/v1/apps/{app}/tags/{tag}", rename)
        routes.on(.delete, "/v1/apps/{app}/tags/{tag}", delete)
        routes.on(.get, "/v1/apps/{app}/tags/{tag}/users", recorded: .all, users)
        routes.on(.post, "/v1/apps/{app}/tags/{tag}/users", addUsers)
        routes.on(.delete, "/v1/apps/{app}/tags/{tag}/users", removeUsers)
        let path = DeviceRoutes.path + "/tags"
        routes.on(.get, path, get)
        routes.on(.put, path) { try await change($0, $1, TagChange.replace) }
        routes.on(.post, path) { try await change($0, $1, TagChange.add) }
        routes.on(.delete, path, remove)
    }

    // MARK: Operators

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let app = try principal.app(of: context)
        let body = try await request.jsonBody(upTo: BodyLimit.standard)
        let wanted = try JSONBody.decode(TagRequest.self, from: body)
        let answer = CreatedAnswer<Tag>(location: { "/v1/apps/\(app)/tags/\($0.id)" })
        return try await repeats.answer(request, principal, body, answer) {
            try await tags.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .read).app(of: context)
        let query = try Query(request, "name", "cursor", "limit")
        let cursor = try query["cursor"].map { text in
            guard let id = TagID(rawValue: text) else { throw Query.wrongCursor }
            return id
        }
        if let name = query["name"], name.count > 255 {
            throw Problem.invalidField(FieldError(field: "name", problem: "must have at most 255 characters"))
        }
        return try Response(
            try await tags.list(app: app, named: query["name"], after: cursor, limit: try query.limit())
        )
    }

    @Sendable private func delete(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .admin).app(of: context)
        try await tags.delete(app: app, try context.tag())
        return .noContent
    }

    @Sendable private func show(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .read).app(of: context)
        return try Response(try await tags.tag(app: app, try context.tag()))
    }

    @Sendable private func rename(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .admin).app(of: context)
        let tag = try context.tag()
        let wanted: TagRequest = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await tags.rename(app: app, tag, wanted))
    }

    // MARK: Users of a tag

    @Sendable private func users(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .read).app(of: context)
        let query = try Query(request, "after", "cursor", "limit")
        var position = try query["cursor"].map { text in
            guard let position = TagUserPosition(text: text) else { throw Query.wrongCursor }
            return position
        }
        if let after = query["after"] {
            guard position == nil, let user = UserID(rawValue: after) else {
                throw Problem.invalidField(
                    FieldError(field: "after", problem: "must be a User's id, and come without a cursor")
                )
            }
            position = try await tags.position(of: user, app: app)
        }
        let page = try await tags.users(
            of: try context.tag(),
            app: app,
            after: position,
            limit: try query.limit(1...1_000, default: 100)
        )
        return try Response(page)
    }

    @Sendable private func addUsers(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .admin).app(of: context)
        let tag = try context.tag()
        let wanted: TagUsersRequest = try await request.decoded(upTo: BodyLimit.standard)
        _ = try await tags.tag(app: app, tag)
        _ = try await tags.apply(.add([tag]), to: wanted.users, app: app)
        return .noContent
    }

    @Sendable private func removeUsers(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .admin).app(of: context)
        let tag = try context.tag()
        let listed = (try Query(request, "users")["users"] ?? "").split(separator: ",").map(String.init)
        let users = listed.compactMap(UserID.init(rawValue:))
        guard users.count == listed.count, (1...TagUsersRequest.maximumCount).contains(users.count) else {
            throw Problem.invalidField(
                FieldError(
                    field: "users",
                    problem: "must be 1 through \(TagUsersRequest.maximumCount) ids of Users, with commas between them"
                )
            )
        }
        _ = try await tags.tag(app: app, tag)
        _ = try await tags.apply(.remove([tag]), to: users, app: app)
        return .noContent
    }

    // MARK: Devices

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        try Response(try await tags.tags(of: try await credentials.device(request, context)))
    }

    private func change(
        _ request: Request,
        _ context: ServerContext,
        _ change: (Set<TagID>) -> TagChange
    ) async throws -> Response {
        let caller = try await credentials.device(request, context)
        let told: TagSet = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await tags.apply(change(told.tags), of: caller))
    }

    @Sendable private func remove(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await credentials.device(request, context)
        let listed = try Query(request, "tags")["tags"]
        let change = try listed.map { TagChange.remove(try Self.ids($0)) } ?? .removeAll
        return try Response(try await tags.apply(change, of: caller))
    }

    /// The ids of a list with commas.
    private static func ids(_ list: String) throws -> Set<TagID> {
        let texts = list.split(separator: ",", maxSplits: TagSet.maximumCount, omittingEmptySubsequences: false)
        let ids = texts.compactMap { TagID(rawValue: String($0)) }
        guard ids.count == texts.count, ids.count <= TagSet.maximumCount else {
            throw Problem.invalidField(
                FieldError(
                    field: "tags",
                    problem: "must be 1 through \(TagSet.maximumCount) ids of tags, with commas between them"
                )
            )
        }
        return Set(ids)
    }
}

extension ServerContext {
    /// The tag that the path names.
    ///
    /// - Throws: 404 when it is no tag's id.
    fileprivate func tag() throws -> TagID {
        guard let tag = TagID(rawValue: parameter("tag")) else { throw EngineError.notFound(.tag) }
        return tag
    }
}
