import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/templates` and `/v1/campaigns/dry-run`: what notifications say.
struct ContentRoutes: Sendable {
    let templates: Templates
    let campaigns: Campaigns
    let credentials: Credentials
    let repeats: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/templates", create)
        routes.on(.get, "/v1/templates", list)
        routes.on(.get, "/v1/templates/{template}", get)
        routes.on(.put, "/v1/templates/{template}", replace)
        routes.on(.delete, "/v1/templates/{template}", delete)
        routes.on(.post, "/v1/campaigns/dry-run", recorded: .wrongKeys, dryRun)
    }

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        let body = try await request.jsonBody(upTo: BodyLimit.template)
        let wanted = try JSONBody.decode(TemplateRequest.self, from: body)
        let app = try principal.app(named: wanted.app)
        let answer = CreatedAnswer<Template>(location: { "/v1/templates/\($0.id)" })
        return try await repeats.answer(request, principal, body, answer) {
            try await templates.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "app", "cursor", "limit")
        let app = try principal.app(named: try query.app())
        return try Response(
            try await templates.list(app: app, after: try query.cursor(TemplateID.self), limit: try query.limit())
        )
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await templates.template(try id(context), within: principal.app))
    }

    @Sendable private func replace(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        let wanted: TemplateRequest = try await request.decoded(upTo: BodyLimit.template)
        let id = try id(context)
        let within = wanted.app == nil ? principal.app : try principal.app(named: wanted.app)
        return try Response(try await templates.replace(id, within: within, with: wanted))
    }

    @Sendable private func delete(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        try await templates.delete(try id(context), within: principal.app)
        return .noContent
    }

    @Sendable private func dryRun(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        let device = try Query(request, "device")["device"].map { text throws in
            guard let device = DeviceID(text) else {
                throw Problem.invalidField(FieldError(field: "device", problem: "must be a UUID"))
            }
            return device
        }
        // The answer shows what the Device's User is called and is like.
        if device != nil {
            AuditNote.current?.require()
            _ = try await credentials.principal(request, .read)
        }
        let wanted: CampaignRequest = try await request.decoded(upTo: BodyLimit.campaign)
        let app = try principal.app(named: wanted.app)
        let place = try credentials.limiter.acquireCostly(app)
        defer { withExtendedLifetime(place) {} }
        return try Response(try await campaigns.dryRun(app: app, wanted, device: device))
    }

    private func id(_ context: ServerContext) throws -> TemplateID {
        guard let id = TemplateID(context.parameter("template")) else { throw EngineError.notFound(.template) }
        return id
    }
}
