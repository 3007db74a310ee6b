import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/templates` and `/v1/dry-run`.
struct ContentRoutes: Sendable {
    let templates: Templates
    let campaigns: Campaigns
    let audiences: Audiences
    let idempotency: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/templates", .key(.send, app: .query), create)
        routes.on(.get, "/v1/templates", .key(.read, app: .query), query: ["cursor", "limit"], list)
        routes.on(.get, "/v1/templates/{template}", .key(.read, app: .key), get)
        routes.on(.put, "/v1/templates/{template}", .key(.send, app: .key), replace)
        routes.on(.delete, "/v1/templates/{template}", .key(.send, app: .key), delete)
        routes.on(
            .post,
            "/v1/dry-run",
            .key(.send, app: .query, further: .read),
            recorded: .wrongKeys,
            query: ["device"],
            dryRun
        )
    }

    @Sendable private func create(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (body, wanted) = try await call.repeatableBody(TemplateRequest.self, upTo: BodyLimit.template)
        let app = try call.app()
        let answer = CreatedAnswer<Template>(location: { "/v1/templates/\($0.id)" })
        return try await idempotency.answer(call, body, answer) {
            try await templates.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        return try Response(
            try await templates.list(app: app, after: try query.cursor(TemplateID.self), limit: try query.limit())
        )
    }

    @Sendable private func get(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await templates.template(try call[.template], within: call.within))
    }

    @Sendable private func replace(_ call: KeyCall<KeyApp>) async throws -> Response {
        let wanted: TemplateRequest = try await call.body(upTo: BodyLimit.template)
        let id = try call[.template]
        return try Response(try await templates.replace(id, within: call.within, with: wanted))
    }

    @Sendable private func delete(_ call: KeyCall<KeyApp>) async throws -> Response {
        try await templates.delete(try call[.template], within: call.within)
        return .noContent
    }

    @Sendable private func dryRun(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let device = try query["device"].map { text throws in
            guard let device = DeviceID(text) else {
                throw Problem.invalidField(FieldError(field: "device", problem: "must be a UUID"))
            }
            return device
        }
        // The response includes the name and attributes of the Device's User.
        if device != nil {
            AuditNote.current?.require()
            try call.requireFurtherScope()
        }
        let (body, large) = try await call.campaignBody { try call.app() }
        let wanted = try JSONBody.decode(CampaignRequest.self, from: body)
        let app = try call.app()
        let place = try large ?? call.acquireCostly(app)
        defer { withExtendedLifetime(place) {} }
        // A count tells about people, as reading does.
        let count: ((Audience) async throws(EngineError) -> AudienceEstimate)? =
            call.has(.read)
            ? { [audiences] audience async throws(EngineError) in try await audiences.estimate(app: app, audience) }
            : nil
        return try Response(try await campaigns.dryRun(app: app, wanted, device: device, estimate: count))
    }
}
