import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/tags`: operators, by API key; `/v1/devices/{device}/tags`: the SDK, for the Device's User.
struct TagRoutes: Sendable {
    let tags: Tags
    let idempotency: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/tags", .key(.admin, app: .query), create)
        routes.on(.get, "/v1/tags", .key(.read, app: .query), query: ["name", "cursor", "limit"], list)
        routes.on(.get, "/v1/tags/{tag}", .key(.read, app: .query), show)
        routes.on(.patch, "/v1/tags/{tag}", .key(.admin, app: .query), rename)
        routes.on(.delete, "/v1/tags/{tag}", .key(.admin, app: .query), delete)
        routes.on(
            .get,
            "/v1/tags/{tag}/users",
            .key(.read, app: .query),
            recorded: .all,
            query: ["cursor", "limit"],
            users
        )
        routes.on(.post, "/v1/tags/{tag}/users", .key(.admin, app: .query), addUsers)
        routes.on(.delete, "/v1/tags/{tag}/users", .key(.admin, app: .query), query: ["users"], removeUsers)
        routes.on(.post, "/v1/tags/{tag}/user-list", .key(.admin, app: .query), query: ["change"], changeList)
        routes.on(.post, "/v1/tags/{tag}/merge", .key(.admin, app: .query), merge)
        let path = DeviceRoutes.path + "/tags"
        routes.on(.get, path, .device, get)
        routes.on(.put, path, .device) { try await change($0, TagChange.replace) }
        routes.on(.post, path, .device) { try await change($0, TagChange.add) }
        routes.on(.delete, path, .device, query: ["tags"], remove)
    }

    // MARK: Operators

    @Sendable private func create(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let (body, wanted) = try await call.repeatableBody(TagRequest.self, upTo: BodyLimit.standard)
        let answer = CreatedAnswer<Tag>(location: { "/v1/tags/\($0.id)?app=\(app)" })
        return try await idempotency.answer(call, body, answer) {
            try await tags.create(app: app, wanted, for: $0, by: CampaignCaller(call.principal).author)
        }
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
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

    @Sendable private func delete(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        try await tags.delete(app: app, try call[.tag])
        return .noContent
    }

    @Sendable private func show(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        return try Response(try await tags.tag(app: app, try call[.tag]))
    }

    @Sendable private func rename(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let tag = try call[.tag]
        let wanted: TagRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await tags.rename(app: app, tag, wanted))
    }

    // MARK: Users of a tag

    @Sendable private func users(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        let position = try query["cursor"].map { text in
            guard let position = TagUserPosition(text: text) else { throw Query.wrongCursor }
            return position
        }
        let page = try await tags.users(
            of: try call[.tag],
            app: app,
            after: position,
            limit: try query.limit()
        )
        return try Response(page)
    }

    @Sendable private func addUsers(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let tag = try call[.tag]
        let wanted: TagUsersRequest = try await call.body(upTo: BodyLimit.standard)
        _ = try await tags.tag(app: app, tag)
        _ = try await tags.apply(.add([tag]), to: wanted.users, app: app)
        return .noContent
    }

    @Sendable private func removeUsers(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        let tag = try call[.tag]
        let listed = (query["users"] ?? "").split(separator: ",").map(String.init)
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

    @Sendable private func changeList(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        guard let change = TagListChange(rawValue: call.query["change"] ?? TagListChange.add.rawValue) else {
            throw Problem.invalidField(FieldError(field: "change", problem: "must be add or remove"))
        }
        guard call.request.first(.contentType)?.lowercased().hasPrefix("text/plain") == true else {
            throw Problem.noPlainText
        }
        let place = try call.acquireCostly(app)
        defer { withExtendedLifetime(place) {} }
        var reading = try await tags.beginList(change, of: try call[.tag], app: app)
        for try await part in call.request.body { try await reading.read(part.readableBytesView) }
        return try Response(try await reading.finish())
    }

    @Sendable private func merge(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let tag = try call[.tag]
        let wanted: TagMergeRequest = try await call.body(upTo: BodyLimit.standard)
        let place = try call.acquireCostly(app)
        defer { withExtendedLifetime(place) {} }
        return try Response(try await tags.merge(app: app, tag, into: wanted.into))
    }

    // MARK: Devices

    @Sendable private func get(_ call: DeviceCall) async throws -> Response {
        try Response(try await tags.tags(of: call.caller))
    }

    private func change(
        _ call: DeviceCall,
        _ change: (Set<TagID>) -> TagChange
    ) async throws -> Response {
        let body: TagSet = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await tags.apply(change(body.tags), of: call.caller))
    }

    @Sendable private func remove(_ call: DeviceCall) async throws -> Response {
        let listed = call.query["tags"]
        let change = try listed.map { TagChange.remove(try Self.ids($0)) } ?? .removeAll
        return try Response(try await tags.apply(change, of: call.caller))
    }

    /// Ids separated by commas.
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

extension Problem {
    /// 415: the body is no list.
    fileprivate static let noPlainText = Problem(
        code: "unsupported-media-type",
        title: "The body must be plain text.",
        status: 415,
        detail: "Content-Type must be text/plain, with the id of a User in each line."
    )
}
