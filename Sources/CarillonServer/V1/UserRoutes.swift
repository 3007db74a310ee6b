import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import NIOCore

/// `/v1/users`, `/v1/invalid-tokens` and `/v1/categories`: operators, by API key.
struct UserRoutes: Sendable {
    let users: Users
    let tags: Tags
    let categories: Categories

    func declare(_ routes: inout Routes) {
        routes.on(
            .get,
            "/v1/users",
            .key(.read, app: .query),
            recorded: .all,
            query: ["prefix", "cursor", "limit"],
            list
        )
        routes.on(.get, "/v1/users/{user}", .key(.read, app: .query), recorded: .all, get)
        routes.on(.delete, "/v1/users/{user}", .key(.admin, app: .query), erase)
        routes.on(.get, "/v1/users/{user}/export", .key(.admin, app: .query), recorded: .all, export)
        routes.on(.put, "/v1/users/{user}/tags", .key(.admin, app: .query)) { try await change($0, TagChange.replace) }
        routes.on(.post, "/v1/users/{user}/tags", .key(.admin, app: .query)) { try await change($0, TagChange.add) }
        routes.on(
            .get,
            "/v1/invalid-tokens",
            .key(.read, app: .query),
            recorded: .all,
            query: ["campaign", "from", "until", "cursor", "limit"],
            invalidTokens
        )
        routes.on(
            .get,
            "/v1/categories",
            .key(.read, app: .query),
            query: ["defined", "cursor", "limit"],
            listCategories
        )
        routes.on(.post, "/v1/categories", .key(.admin, app: .query), define)
        routes.on(.delete, "/v1/categories", .key(.admin, app: .query), query: ["dimension", "label"], undefine)
    }

    // MARK: Users

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        let prefix = query["prefix"]
        guard (prefix?.utf8.count ?? 0) <= 128 else {
            throw Problem.invalidField(FieldError(field: "prefix", problem: "must have at most 128 bytes"))
        }
        let after = try query["cursor"].map { text in
            guard let user = UserID(cursor: text) else { throw Query.wrongCursor }
            return user
        }
        return try Response(try await users.list(app: app, prefix: prefix, after: after, limit: try query.limit()))
    }

    @Sendable private func get(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let record = try await users.user(
            try call[.user],
            app: app,
            showsTokens: call.has(.admin)
        )
        return try Response(record)
    }

    @Sendable private func erase(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        try await users.erase(try call[.user], app: app)
        return .noContent
    }

    @Sendable private func export(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let user = try call[.user]
        let place = try call.acquireCostly(app)
        let export = try await users.export(user, app: app)
        var headers = HTTPFields()
        headers[.contentType] = "application/x-ndjson"
        headers[.contentDisposition] = "attachment; filename=\"user.jsonl\""
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(place) {} }
                var export = export
                while let part = try await export.next() { try await writer.write(ByteBuffer(bytes: part)) }
                try await writer.finish(nil)
            }
        )
    }

    private func change(
        _ call: KeyCall<RequiredQueryApp>,
        _ change: (Set<TagID>) -> TagChange
    ) async throws -> Response {
        let app = try call.app()
        let user = try call[.user]
        let body: TagSet = try await call.body(upTo: BodyLimit.standard)
        let result = try await tags.apply(change(body.tags), to: [user], app: app)
        return try Response(TagSet(tags: result[user] ?? []))
    }

    // MARK: Refused tokens

    @Sendable private func invalidTokens(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let position = try query["cursor"].map { text in
            guard let position = InvalidTokenQuery.Position(text: text) else { throw Query.wrongCursor }
            return position
        }
        let page = try await users.invalidTokens(
            app: try call.app(),
            campaign: try query.campaign(),
            from: try query.time("from"),
            until: try query.time("until"),
            after: position,
            limit: try query.limit(),
            showsTokens: call.has(.admin)
        )
        return try Response(page)
    }

    // MARK: Categories

    @Sendable private func listCategories(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        let isDefined = try query.flag("defined")
        let after = try query["cursor"].map { text in
            guard let name = CategoryName(cursor: text) else { throw Query.wrongCursor }
            return name
        }
        return try Response(
            try await categories.list(app: app, isDefined: isDefined, after: after, limit: try query.limit())
        )
    }

    @Sendable private func define(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let wanted: CategoryRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await categories.define(wanted, app: app))
    }

    @Sendable private func undefine(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        guard let label = query["label"] else {
            throw Problem.invalidField(FieldError(field: "label", problem: "is required"))
        }
        try await categories.undefine(CategoryName(dimension: query["dimension"] ?? "", label: label), app: app)
        return .noContent
    }
}

extension Query {
    /// A boolean value.
    func flag(_ name: String) throws -> Bool? {
        switch self[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw Problem.invalidField(FieldError(field: name, problem: "must be true or false"))
        }
    }
}
