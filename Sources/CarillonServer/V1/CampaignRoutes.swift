import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/campaigns`.
struct CampaignRoutes: Sendable {
    let campaigns: Campaigns
    let idempotency: IdempotencyMiddleware
    let metrics: ServerMetrics

    func declare(_ routes: inout Routes) {
        declareGuards(&routes)
        routes.on(.post, "/v1/campaigns", .key(.send, app: .query), create)
        routes.on(.post, "/v1/test-send", .key(.send, app: .query), test)
        routes.on(
            .post,
            "/v1/campaign-reach",
            .key(.read, app: .query),
            recorded: .wrongKeys,
            query: ["exact"],
            reach
        )
        routes.on(
            .get,
            "/v1/campaigns",
            .key(.read, app: .queryOrAll),
            query: ["state", "createdFrom", "createdUntil", "dueFrom", "dueUntil", "cursor", "limit"],
            list
        )
        routes.on(.get, "/v1/campaigns/{campaign}", .key(.read, app: .key), get)
        routes.on(.delete, "/v1/campaigns/{campaign}", .key(.send, app: .key), delete)
        routes.on(.patch, "/v1/campaigns/{campaign}", .key(.send, app: .key), change)
        routes.on(.post, "/v1/campaigns/{campaign}/pause", .key(.send, app: .key), pause)
        routes.on(.post, "/v1/campaigns/{campaign}/resume", .key(.send, app: .key), resume)
        routes.on(
            .get,
            "/v1/campaigns/{campaign}/occurrences",
            .key(.read, app: .key),
            query: ["cursor", "limit"],
            occurrences
        )
        routes.on(
            .post,
            "/v1/campaigns/{campaign}/occurrences/{occurrence}/cancel",
            .key(.send, app: .key),
            cancelOccurrence
        )
        routes.on(.post, "/v1/campaigns/{campaign}/send", .key(.send, app: .key), send)
        routes.on(.post, "/v1/campaigns/{campaign}/cancel", .key(.send, app: .key), cancel)
        routes.on(.get, "/v1/campaigns/{campaign}/funnel", .key(.read, app: .key), funnel)
        routes.on(.get, "/v1/campaigns/{campaign}/failures", .key(.read, app: .key), failures)
        routes.on(
            .get,
            "/v1/campaigns/{campaign}/deliveries",
            .key(.read, app: .key),
            recorded: .all,
            query: ["occurrence", "cursor", "limit"],
            deliveries
        )
    }

    private static let created = CreatedAnswer<Campaign>(location: { "/v1/campaigns/\($0.id)" })

    @Sendable private func create(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (body, place) = try await call.campaignBody { try call.app() }
        defer { withExtendedLifetime(place) {} }
        let wanted = try JSONBody.decode(CampaignRequest.self, from: body)
        let (app, caller) = (try call.app(), CampaignCaller(call.principal))
        return try await idempotency.answer(call, body, Self.created) {
            let campaign = try await campaigns.create(app: app, wanted, for: $0, by: caller)
            metrics.add(1, to: .campaigns)
            return campaign
        }
    }

    @Sendable private func test(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (body, wanted) = try await call.repeatableBody(TestSendRequest.self, upTo: BodyLimit.standard)
        let app = try call.app()
        return try await idempotency.answer(call, body, Self.created) {
            let campaign = try await campaigns.test(app: app, wanted, for: $0, by: CampaignCaller(call.principal))
            metrics.add(1, to: .campaigns)
            return campaign
        }
    }

    @Sendable private func reach(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let isExact = try call.query.flag("exact") ?? false
        let (body, large) = try await call.campaignBody { try call.app() }
        let wanted = try JSONBody.decode(CampaignRequest.self, from: body)
        let app = try call.app()
        let place = try large ?? call.acquireCostly(app)
        defer { withExtendedLifetime(place) {} }
        return try Response(try await campaigns.estimate(of: wanted, app: app, isExact: isExact))
    }

    @Sendable private func list(_ call: KeyCall<OptionalQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        var filter = CampaignFilter()
        filter.state = try query.word("state", Campaign.State.self)
        filter.createdFrom = try query.time("createdFrom")
        filter.createdUntil = try query.time("createdUntil")
        filter.dueFrom = try query.time("dueFrom")
        filter.dueUntil = try query.time("dueUntil")
        return try Response(
            try await campaigns.list(
                app: app,
                after: try query.cursor(CampaignID.self),
                limit: try query.limit(),
                filter
            )
        )
    }

    @Sendable private func get(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await campaigns.shown(try call[.campaign], within: call.within))
    }

    @Sendable private func delete(_ call: KeyCall<KeyApp>) async throws -> Response {
        try await campaigns.delete(try call[.campaign], within: call.within)
        return .noContent
    }

    @Sendable private func send(_ call: KeyCall<KeyApp>) async throws -> Response {
        let caller = CampaignCaller(call.principal)
        return try Response(try await campaigns.send(try call[.campaign], within: call.within, by: caller))
    }

    @Sendable private func cancel(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await campaigns.cancel(try call[.campaign], within: call.within))
    }

    @Sendable private func change(_ call: KeyCall<KeyApp>) async throws -> Response {
        let id = try call[.campaign]
        let (body, place) = try await call.campaignBody { try await campaigns.campaign(id, within: call.within).app }
        defer { withExtendedLifetime(place) {} }
        let update = try JSONBody.decode(CampaignUpdate.self, from: body)
        let caller = CampaignCaller(call.principal)
        return try Response(try await campaigns.change(id, within: call.within, update, by: caller))
    }

    @Sendable private func pause(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await campaigns.pause(try call[.campaign], within: call.within))
    }

    @Sendable private func resume(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await campaigns.resume(try call[.campaign], within: call.within))
    }

    @Sendable private func occurrences(_ call: KeyCall<KeyApp>) async throws -> Response {
        let query = call.query
        return try Response(
            try await campaigns.occurrences(
                try call[.campaign],
                within: call.within,
                cursor: query["cursor"],
                limit: try query.limit()
            )
        )
    }

    @Sendable private func cancelOccurrence(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(
            try await campaigns.cancelOccurrence(
                try call[.occurrence],
                of: try call[.campaign],
                within: call.within
            )
        )
    }

    @Sendable private func funnel(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await campaigns.funnel(try call[.campaign], within: call.within))
    }

    @Sendable private func failures(_ call: KeyCall<KeyApp>) async throws -> Response {
        let failures = try await campaigns.failures(try call[.campaign], within: call.within)
        return try Response(Page(items: failures, nextCursor: nil))
    }

    @Sendable private func deliveries(_ call: KeyCall<KeyApp>) async throws -> Response {
        let query = call.query
        let occurrence = try query["occurrence"].map { text in
            guard let occurrence = OccurrenceID(text) else { throw EngineError.notFound(.occurrence) }
            return occurrence
        }
        return try Response(
            try await campaigns.deliveries(
                try call[.campaign],
                within: call.within,
                occurrence: occurrence,
                cursor: query["cursor"],
                limit: try query.limit()
            )
        )
    }
}
