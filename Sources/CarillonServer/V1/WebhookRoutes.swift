import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/webhooks`.
struct WebhookRoutes: Sendable {
    let webhooks: Webhooks
    let idempotency: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/webhooks", .key(.admin, app: .query), create)
        routes.on(.get, "/v1/webhooks", .key(.read, app: .queryOrAll), query: ["cursor", "limit"], list)
        routes.on(.get, "/v1/webhooks/{webhook}", .key(.read, app: .key), get)
        routes.on(.patch, "/v1/webhooks/{webhook}", .key(.admin, app: .key), update)
        routes.on(.delete, "/v1/webhooks/{webhook}", .key(.admin, app: .key), delete)
        routes.on(.post, "/v1/webhooks/{webhook}/rotate-secret", .key(.admin, app: .key), rotate)
        routes.on(.post, "/v1/webhooks/{webhook}/test", .key(.admin, app: .key), test)
        routes.on(.get, "/v1/webhooks/{webhook}/attempts", .key(.read, app: .key), attempts)
        routes.on(
            .get,
            "/v1/webhooks/{webhook}/messages",
            .key(.read, app: .key),
            query: ["state", "cursor", "limit"],
            messages
        )
        routes.on(.post, "/v1/webhooks/{webhook}/messages/{message}/replay", .key(.admin, app: .key), replay)
    }

    @Sendable private func create(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (body, wanted) = try await call.repeatableBody(WebhookRequest.self, upTo: BodyLimit.standard)
        let app = try call.app()
        let answer = CreatedAnswer<WebhookSecret>(location: { "/v1/webhooks/\($0.webhook.id)" }) { secret in
            var redacted = secret
            redacted.secret = ""
            return redacted
        }
        return try await idempotency.answer(call, body, answer) {
            try await webhooks.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ call: KeyCall<OptionalQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        return try Response(
            try await webhooks.list(app: app, after: try query.cursor(WebhookID.self), limit: try query.limit())
        )
    }

    @Sendable private func get(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await webhooks.webhook(try call[.webhook], within: call.within))
    }

    @Sendable private func update(_ call: KeyCall<KeyApp>) async throws -> Response {
        let change: WebhookUpdate = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await webhooks.update(try call[.webhook], within: call.within, change))
    }

    @Sendable private func delete(_ call: KeyCall<KeyApp>) async throws -> Response {
        try await webhooks.delete(try call[.webhook], within: call.within)
        return .noContent
    }

    @Sendable private func rotate(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await webhooks.rotate(try call[.webhook], within: call.within))
    }

    @Sendable private func test(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await webhooks.test(try call[.webhook], within: call.within))
    }

    @Sendable private func attempts(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await webhooks.attempts(of: try call[.webhook], within: call.within))
    }

    @Sendable private func messages(_ call: KeyCall<KeyApp>) async throws -> Response {
        let query = call.query
        return try Response(
            try await webhooks.messages(
                of: try call[.webhook],
                within: call.within,
                in: try query.word("state", WebhookMessage.State.self) ?? .dead,
                after: try query.cursor(WebhookMessageID.self),
                limit: try query.limit()
            )
        )
    }

    @Sendable private func replay(_ call: KeyCall<KeyApp>) async throws -> Response {
        let webhook = try call[.webhook]
        let message = try call[.webhookMessage]
        return try Response(try await webhooks.replay(message, of: webhook, within: call.within))
    }
}
