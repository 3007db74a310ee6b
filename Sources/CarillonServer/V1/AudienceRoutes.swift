import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/audiences`: saved rules, and counts of rules.
struct AudienceRoutes: Sendable {
    let audiences: Audiences
    let idempotency: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/audiences", .key(.admin, app: .query), create)
        routes.on(.get, "/v1/audiences", .key(.read, app: .queryOrAll), query: ["cursor", "limit"], list)
        routes.on(.post, "/v1/audience-parse", .key(.read, app: .queryOrAll), recorded: .wrongKeys, parse)
        routes.on(.post, "/v1/audience-estimate", .key(.read, app: .query), recorded: .wrongKeys, estimate)
        routes.on(.get, "/v1/audiences/{audience}", .key(.read, app: .key), get)
        routes.on(.patch, "/v1/audiences/{audience}", .key(.admin, app: .key), change)
        routes.on(.post, "/v1/audiences/{audience}/count", .key(.read, app: .key), recorded: .wrongKeys, count)
        routes.on(.delete, "/v1/audiences/{audience}", .key(.admin, app: .key), delete)
    }

    @Sendable private func create(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (body, wanted) = try await call.repeatableBody(AudienceRequest.self, upTo: BodyLimit.list)
        let app = try call.app()
        let answer = CreatedAnswer<SavedAudience>(location: { "/v1/audiences/\($0.id)" })
        return try await idempotency.answer(call, body, answer) {
            try await audiences.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ call: KeyCall<OptionalQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        return try Response(
            try await audiences.list(app: app, after: try query.cursor(AudienceID.self), limit: try query.limit())
        )
    }

    @Sendable private func parse(_ call: KeyCall<OptionalQueryApp>) async throws -> Response {
        let wanted: AudienceParseRequest = try await call.body(upTo: BodyLimit.list)
        let app = try call.app()
        return try Response(try await audiences.parse(wanted, app: app))
    }

    @Sendable private func estimate(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let wanted: AudienceEstimateRequest = try await call.body(upTo: BodyLimit.list)
        let app = try call.app()
        let place = try call.acquireCostly(app)
        defer { withExtendedLifetime(place) {} }
        return try Response(try await audiences.estimate(app: app, wanted.audience))
    }

    @Sendable private func get(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await audiences.audience(try call[.audience], within: call.within))
    }

    @Sendable private func change(_ call: KeyCall<KeyApp>) async throws -> Response {
        let wanted: AudienceUpdate = try await call.body(upTo: BodyLimit.list)
        return try Response(try await audiences.change(try call[.audience], within: call.within, wanted))
    }

    @Sendable private func count(_ call: KeyCall<KeyApp>) async throws -> Response {
        let id = try call[.audience]
        let place = try call.acquireCostly(try await audiences.audience(id, within: call.within).app)
        defer { withExtendedLifetime(place) {} }
        return try Response(try await audiences.count(id, within: call.within))
    }

    @Sendable private func delete(_ call: KeyCall<KeyApp>) async throws -> Response {
        try await audiences.delete(try call[.audience], within: call.within)
        return .noContent
    }
}
