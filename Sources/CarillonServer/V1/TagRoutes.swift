import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/apps/{app}/tags`: operators, by API key; `/v1/devices/{device}/tags`: the SDK, for the Device's User.
struct TagRoutes: Sendable {
    let tags: Tags
    let credentials: Credentials
    let repeats: Repeats

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/apps/{app}/tags", create)
        routes.on(.get, "/v1/apps/{app}/tags", list)
        routes.on(.delete, "/v1/apps/{app}/tags/{tag}", delete)
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
        return try await repeats.answer(request, principal, body) {
            let tag = try await tags.create(app: app, wanted)
            return try Repeatable(tag, location: "/v1/apps/\(app)/tags/\(tag.id)")
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .read).app(of: context)
        let query = try Query(request, "cursor", "limit")
        let cursor = try query["cursor"].map { text in
            guard let id = TagID(rawValue: text) else { throw Query.wrongCursor }
            return id
        }
        return try Response(try await tags.list(app: app, after: cursor, limit: try query.limit()))
    }

    @Sendable private func delete(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.principal(request, .admin).app(of: context)
        guard let tag = TagID(rawValue: context.parameter("tag")) else { throw EngineError.notFound(.tag) }
        try await tags.delete(app: app, tag)
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
