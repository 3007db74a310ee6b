import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/keys`: a key of one App lists and creates only keys of that App.
struct KeyRoutes: Sendable {
    let access: Access
    let idempotency: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/keys", .key(.admin, app: .queryOrAll), create)
        routes.on(.get, "/v1/keys", .key(.admin, app: .queryOrAll), query: ["cursor", "limit"], list)
        routes.on(.delete, "/v1/keys/{key}", .key(.admin, app: .key), revoke)
    }

    @Sendable private func create(_ call: KeyCall<OptionalQueryApp>) async throws -> Response {
        let (body, wanted) = try await call.repeatableBody(APIKeyRequest.self, upTo: BodyLimit.standard)
        let app = try call.app()
        let answer = CreatedAnswer<APIKeySecret>(location: { "/v1/keys/\($0.key.id)" }) { secret in
            var redacted = secret
            redacted.secret = ""
            return redacted
        }
        return try await idempotency.answer(call, body, answer) {
            try await access.createKey(app: app, wanted, by: call.principal, for: $0)
        }
    }

    @Sendable private func list(_ call: KeyCall<OptionalQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        return try Response(
            try await access.keys(app: app, after: try query.cursor(APIKeyID.self), limit: try query.limit())
        )
    }

    @Sendable private func revoke(_ call: KeyCall<KeyApp>) async throws -> Response {
        try await access.revokeKey(try call[.key], within: call.within)
        return .noContent
    }
}
