import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import NIOCore

/// `/v1/users`, `/v1/invalid-tokens` and `/v1/apps/{app}/categories`: operators, by API key.
struct UserRoutes: Sendable {
    let users: Users
    let tags: Tags
    let categories: Categories
    let credentials: Credentials

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/users/{user}", recorded: .all, get)
        routes.on(.delete, "/v1/users/{user}", erase)
        routes.on(.get, "/v1/users/{user}/export", recorded: .all, export)
        routes.on(.put, "/v1/users/{user}/tags") { try await change($0, $1, TagChange.replace) }
        routes.on(.post, "/v1/users/{user}/tags") { try await change($0, $1, TagChange.add) }
        routes.on(.get, "/v1/invalid-tokens", recorded: .all, invalidTokens)
        routes.on(.get, "/v1/apps/{app}/categories", listCategories)
        routes.on(.post, "/v1/apps/{app}/categories", define)
        routes.on(.delete, "/v1/apps/{app}/categories", undefine)
    }

    // MARK: Users

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let app = try principal.app(named: try Query(request, "app").app())
        let record = try await users.user(
            try context.user(),
            app: app,
            showsTokens: principal.scopes.contains(.admin)
        )
        return try Response(record)
    }

    @Sendable private func erase(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let app = try principal.app(named: try Query(request, "app").app())
        try await users.erase(try context.user(), app: app)
        return .noContent
    }

    @Sendable private func export(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let app = try principal.app(named: try Query(request, "app").app())
        let user = try context.user()
        let place = try credentials.limiter.acquireCostly(app)
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
        _ request: Request,
        _ context: ServerContext,
        _ change: (Set<TagID>) -> TagChange
    ) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let app = try principal.app(named: try Query(request, "app").app())
        let user = try context.user()
        let told: TagSet = try await request.decoded(upTo: BodyLimit.standard)
        let result = try await tags.apply(change(told.tags), to: [user], app: app)
        return try Response(TagSet(tags: result[user] ?? []))
    }

    // MARK: Refused tokens

    @Sendable private func invalidTokens(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "app", "campaign", "from", "to", "cursor", "limit")
        let position = try query["cursor"].map { text in
            guard let position = InvalidTokenQuery.Position(text: text) else { throw Query.wrongCursor }
            return position
        }
        let page = try await users.invalidTokens(
            app: try principal.app(named: try query.app()),
            campaign: try query.campaign(),
            from: try query.time("from"),
            to: try query.time("to"),
            after: position,
            limit: try query.limit(1...100, default: 25),
            showsTokens: principal.scopes.contains(.admin)
        )
        return try Response(page)
    }

    // MARK: Categories

    @Sendable private func listCategories(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .read).app(of: context)
        let query = try Query(request, "defined", "cursor", "limit")
        let isDefined = try query.flag("defined")
        let after = try query["cursor"].map { text in
            guard let name = CategoryName(cursor: text) else { throw Query.wrongCursor }
            return name
        }
        return try Response(
            try await categories.list(app: app, isDefined: isDefined, after: after, limit: try query.limit())
        )
    }

    @Sendable private func define(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .admin).app(of: context)
        let wanted: CategoryRequest = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await categories.define(wanted, app: app))
    }

    @Sendable private func undefine(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .admin).app(of: context)
        let query = try Query(request, "dimension", "label")
        guard let label = query["label"] else {
            throw Problem.invalidField(FieldError(field: "label", problem: "is required"))
        }
        try await categories.undefine(CategoryName(dimension: query["dimension"] ?? "", label: label), app: app)
        return .noContent
    }
}

extension ServerContext {
    /// The User that the path names.
    ///
    /// - Throws: 404 when it is no User's id.
    func user() throws -> UserID {
        guard let user = UserID(rawValue: parameter("user")) else { throw EngineError.notFound(.user) }
        return user
    }
}

extension Query {
    /// A word that is true or false.
    func flag(_ name: String) throws -> Bool? {
        switch self[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw Problem.invalidField(FieldError(field: name, problem: "must be true or false"))
        }
    }
}
