import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/webhooks`.
struct WebhookRoutes: Sendable {
    let webhooks: Webhooks
    let credentials: Credentials
    let repeats: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/webhooks", create)
        routes.on(.get, "/v1/webhooks", list)
        routes.on(.get, "/v1/webhooks/{webhook}", get)
        routes.on(.patch, "/v1/webhooks/{webhook}", update)
        routes.on(.delete, "/v1/webhooks/{webhook}", delete)
        routes.on(.post, "/v1/webhooks/{webhook}/rotate-secret", rotate)
        routes.on(.post, "/v1/webhooks/{webhook}/test", test)
        routes.on(.get, "/v1/webhooks/{webhook}/messages", messages)
        routes.on(.post, "/v1/webhooks/{webhook}/messages/{message}/replay", replay)
    }

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let body = try await request.jsonBody(upTo: BodyLimit.standard)
        let wanted = try JSONBody.decode(WebhookRequest.self, from: body)
        let app = try principal.app(named: wanted.app)
        let answer = CreatedAnswer<WebhookSecret>(location: { "/v1/webhooks/\($0.webhook.id)" }) { secret in
            var redacted = secret
            redacted.secret = ""
            return redacted
        }
        return try await repeats.answer(request, principal, body, answer) {
            try await webhooks.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "app", "cursor", "limit")
        let named = try query.app()
        let app = principal.app == nil ? named : try principal.app(named: named)
        return try Response(
            try await webhooks.list(app: app, after: try query.cursor(WebhookID.self), limit: try query.limit())
        )
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await webhooks.webhook(try id(context), within: principal.app))
    }

    @Sendable private func update(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let change: WebhookUpdate = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await webhooks.update(try id(context), within: principal.app, change))
    }

    @Sendable private func delete(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        try await webhooks.delete(try id(context), within: principal.app)
        return .noContent
    }

    @Sendable private func rotate(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        return try Response(try await webhooks.rotate(try id(context), within: principal.app))
    }

    @Sendable private func test(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        return try Response(try await webhooks.test(try id(context), within: principal.app))
    }

    @Sendable private func messages(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "state", "cursor", "limit")
        return try Response(
            try await webhooks.messages(
                of: try id(context),
                within: principal.app,
                in: try query.word("state", WebhookMessage.State.self) ?? .dead,
                after: try query.cursor(WebhookMessageID.self),
                limit: try query.limit()
            )
        )
    }

    @Sendable private func replay(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let webhook = try id(context)
        guard let message = WebhookMessageID(context.parameter("message")) else {
            throw EngineError.notFound(.webhookMessage)
        }
        return try Response(try await webhooks.replay(message, of: webhook, within: principal.app))
    }

    private func id(_ context: ServerContext) throws -> WebhookID {
        guard let id = WebhookID(context.parameter("webhook")) else { throw EngineError.notFound(.webhook) }
        return id
    }
}
