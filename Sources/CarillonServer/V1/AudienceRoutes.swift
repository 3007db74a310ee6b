import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/audiences`: saved rules, and questions about rules.
struct AudienceRoutes: Sendable {
    let audiences: Audiences
    let credentials: Credentials
    let repeats: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/audiences", create)
        routes.on(.get, "/v1/audiences", list)
        routes.on(.post, "/v1/audiences/parse", recorded: .wrongKeys, parse)
        routes.on(.post, "/v1/audiences/estimate", recorded: .wrongKeys, estimate)
        routes.on(.get, "/v1/audiences/{audience}", get)
        routes.on(.patch, "/v1/audiences/{audience}", change)
        routes.on(.delete, "/v1/audiences/{audience}", delete)
    }

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let body = try await request.jsonBody(upTo: BodyLimit.campaign)
        let wanted = try JSONBody.decode(AudienceRequest.self, from: body)
        let app = try principal.app(named: wanted.app)
        let answer = CreatedAnswer<SavedAudience>(location: { "/v1/audiences/\($0.id)" })
        return try await repeats.answer(request, principal, body, answer) {
            try await audiences.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "app", "cursor", "limit")
        let named = try query.app()
        let app = principal.app == nil ? named : try principal.app(named: named)
        return try Response(
            try await audiences.list(app: app, after: try query.cursor(AudienceID.self), limit: try query.limit())
        )
    }

    @Sendable private func parse(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let wanted: AudienceParseRequest = try await request.decoded(upTo: BodyLimit.campaign)
        let app = principal.app == nil ? wanted.app : try principal.app(named: wanted.app)
        return try Response(try await audiences.parse(wanted, app: app))
    }

    @Sendable private func estimate(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let wanted: AudienceEstimateRequest = try await request.decoded(upTo: BodyLimit.campaign)
        let app = try principal.app(named: wanted.app)
        let place = try credentials.limiter.acquireCostly(app)
        defer { withExtendedLifetime(place) {} }
        return try Response(try await audiences.estimate(app: app, wanted.audience))
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await audiences.audience(try id(context), within: principal.app))
    }

    @Sendable private func change(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let wanted: AudienceUpdate = try await request.decoded(upTo: BodyLimit.campaign)
        return try Response(try await audiences.change(try id(context), within: principal.app, wanted))
    }

    @Sendable private func delete(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        try await audiences.delete(try id(context), within: principal.app)
        return .noContent
    }

    private func id(_ context: ServerContext) throws -> AudienceID {
        guard let id = AudienceID(context.parameter("audience")) else { throw EngineError.notFound(.audience) }
        return id
    }
}
