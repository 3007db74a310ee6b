import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/campaigns`.
struct CampaignRoutes: Sendable {
    let campaigns: Campaigns
    let credentials: Credentials
    let repeats: IdempotencyMiddleware
    let metrics: ServerMetrics

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/campaigns", create)
        routes.on(.post, "/v1/campaigns/test", test)
        routes.on(.get, "/v1/campaigns", list)
        routes.on(.get, "/v1/campaigns/{campaign}", get)
        routes.on(.patch, "/v1/campaigns/{campaign}", change)
        routes.on(.post, "/v1/campaigns/{campaign}/pause", pause)
        routes.on(.post, "/v1/campaigns/{campaign}/resume", resume)
        routes.on(.get, "/v1/campaigns/{campaign}/occurrences", occurrences)
        routes.on(.post, "/v1/campaigns/{campaign}/occurrences/{occurrence}/cancel", cancelOccurrence)
        routes.on(.post, "/v1/campaigns/{campaign}/send", send)
        routes.on(.post, "/v1/campaigns/{campaign}/cancel", cancel)
        routes.on(.get, "/v1/campaigns/{campaign}/funnel", funnel)
        routes.on(.get, "/v1/campaigns/{campaign}/failures", failures)
        routes.on(.get, "/v1/campaigns/{campaign}/deliveries", recorded: .all, deliveries)
    }

    private static let created = CreatedAnswer<Campaign>(location: { "/v1/campaigns/\($0.id)" })

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        let body = try await request.jsonBody(upTo: BodyLimit.campaign)
        let wanted = try JSONBody.decode(CampaignRequest.self, from: body)
        let app = try principal.app(named: wanted.app)
        return try await repeats.answer(request, principal, body, Self.created) {
            let campaign = try await campaigns.create(app: app, wanted, for: $0)
            metrics.add(1, to: .campaigns)
            return campaign
        }
    }

    @Sendable private func test(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        let body = try await request.jsonBody(upTo: BodyLimit.standard)
        let wanted = try JSONBody.decode(TestSendRequest.self, from: body)
        let app = try principal.app(named: wanted.app)
        return try await repeats.answer(request, principal, body, Self.created) {
            let campaign = try await campaigns.test(app: app, wanted, for: $0)
            metrics.add(1, to: .campaigns)
            return campaign
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(
            request,
            "app",
            "state",
            "createdFrom",
            "createdTo",
            "dueFrom",
            "dueTo",
            "cursor",
            "limit"
        )
        let named = try query.app()
        let app = principal.app == nil ? named : try principal.app(named: named)
        var filter = CampaignFilter()
        filter.state = try query.word("state", Campaign.State.self)
        filter.createdFrom = try query.time("createdFrom")
        filter.createdTo = try query.time("createdTo")
        filter.dueFrom = try query.time("dueFrom")
        filter.dueTo = try query.time("dueTo")
        return try Response(
            try await campaigns.list(
                app: app,
                after: try query.cursor(CampaignID.self),
                limit: try query.limit(),
                filter
            )
        )
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await campaigns.shown(try id(context), within: principal.app))
    }

    @Sendable private func send(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        return try Response(try await campaigns.send(try id(context), within: principal.app))
    }

    @Sendable private func cancel(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        return try Response(try await campaigns.cancel(try id(context), within: principal.app))
    }

    @Sendable private func change(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        let body = try await request.jsonBody(upTo: BodyLimit.campaign)
        let update = try JSONBody.decode(CampaignUpdate.self, from: body)
        return try Response(try await campaigns.change(try id(context), within: principal.app, update))
    }

    @Sendable private func pause(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        return try Response(try await campaigns.pause(try id(context), within: principal.app))
    }

    @Sendable private func resume(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        return try Response(try await campaigns.resume(try id(context), within: principal.app))
    }

    @Sendable private func occurrences(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "cursor", "limit")
        return try Response(
            try await campaigns.occurrences(
                try id(context),
                within: principal.app,
                cursor: query["cursor"],
                limit: try query.limit(1...500, default: 100)
            )
        )
    }

    @Sendable private func cancelOccurrence(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .send)
        return try Response(
            try await campaigns.cancelOccurrence(
                context.parameter("occurrence"),
                of: try id(context),
                within: principal.app
            )
        )
    }

    @Sendable private func funnel(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await campaigns.funnel(try id(context), within: principal.app))
    }

    @Sendable private func failures(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await campaigns.failures(try id(context), within: principal.app))
    }

    @Sendable private func deliveries(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "occurrence", "cursor", "limit")
        let occurrence = try query["occurrence"].map { text in
            guard let occurrence = OccurrenceID(text) else { throw EngineError.notFound(.occurrence) }
            return occurrence
        }
        return try Response(
            try await campaigns.deliveries(
                try id(context),
                within: principal.app,
                occurrence: occurrence,
                cursor: query["cursor"],
                limit: try query.limit(1...500, default: 100)
            )
        )
    }

    private func id(_ context: ServerContext) throws -> CampaignID {
        guard let id = CampaignID(context.parameter("campaign")) else { throw EngineError.notFound(.campaign) }
        return id
    }
}
