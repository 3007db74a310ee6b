import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/keys`: a key of one App sees and makes only keys of that App.
struct KeyRoutes: Sendable {
    let access: Access
    let credentials: Credentials
    let repeats: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/keys", create)
        routes.on(.get, "/v1/keys", list)
        routes.on(.delete, "/v1/keys/{key}", revoke)
    }

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let body = try await request.jsonBody(upTo: BodyLimit.standard)
        var wanted = try JSONBody.decode(APIKeyRequest.self, from: body)
        if principal.app != nil { wanted.app = try principal.app(named: wanted.app) }
        let answer = CreatedAnswer<APIKeySecret>(location: { "/v1/keys/\($0.key.id)" }) { secret in
            var redacted = secret
            redacted.secret = ""
            return redacted
        }
        return try await repeats.answer(request, principal, body, answer) { [wanted] in
            try await access.createKey(wanted, by: principal, for: $0)
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let query = try Query(request, "app", "cursor", "limit")
        let named = try query.app()
        let app = principal.app == nil ? named : try principal.app(named: named)
        return try Response(
            try await access.keys(app: app, after: try query.cursor(APIKeyID.self), limit: try query.limit())
        )
    }

    @Sendable private func revoke(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        guard let id = APIKeyID(context.parameter("key")) else { throw EngineError.notFound(.key) }
        try await access.revokeKey(id, within: principal.app)
        return .noContent
    }
}
