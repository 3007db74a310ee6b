import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/apps`.
struct AppRoutes: Sendable {
    let apps: Apps
    let credentials: Credentials
    let repeats: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/apps", create)
        routes.on(.get, "/v1/apps", list)
        routes.on(.get, "/v1/apps/{app}", get)
        routes.on(.patch, "/v1/apps/{app}", update)
        routes.on(.post, "/v1/apps/{app}/rotate-keys", rotateKeys)
        routes.on(.delete, "/v1/apps/{app}/former-keys/{kind}", endFormerKeys)
        routes.on(.get, "/v1/apps/{app}/push-key", pushKey)
        routes.on(.put, "/v1/apps/{app}/push-key", setPushKey)
    }

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.serverPrincipal(request, .admin)
        let body = try await request.jsonBody(upTo: BodyLimit.standard)
        let wanted = try JSONBody.decode(AppRequest.self, from: body)
        let answer = CreatedAnswer<AppSecrets>(location: { "/v1/apps/\($0.app.id)" }) { secrets in
            var redacted = secrets
            redacted.identitySecret = ""
            return redacted
        }
        return try await repeats.answer(request, principal, body, answer) { try await apps.create(wanted, for: $0) }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "cursor", "limit")
        let (cursor, limit) = (try query.cursor(AppID.self), try query.limit())
        if let own = principal.app {
            return try Response(Page(items: [try await apps.app(own)], nextCursor: nil))
        }
        return try Response(try await apps.list(after: cursor, limit: limit))
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await apps.app(try principal.app(of: context)))
    }

    @Sendable private func update(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let change: AppUpdate = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await apps.update(try principal.app(of: context), change))
    }

    @Sendable private func rotateKeys(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let app = try principal.app(of: context)
        let rotation: AppKeyRotation = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await apps.rotateKeys(app, rotation))
    }

    @Sendable private func endFormerKeys(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let app = try principal.app(of: context)
        guard let kind = AppKeyKind(rawValue: context.parameter("kind")) else { throw Problem.unknownPath }
        return try Response(try await apps.endFormerKeys(kind, of: app))
    }

    @Sendable private func pushKey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await apps.pushKeyRecord(try principal.app(of: context)))
    }

    @Sendable private func setPushKey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let key: PushKeyRequest = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await apps.setPushKey(try principal.app(of: context), key))
    }
}

extension Principal {
    /// The App that a path names.
    ///
    /// - Throws: 404 unless it is an App of the caller's.
    func app(of context: ServerContext) throws -> AppID {
        guard let id = AppID(context.parameter("app")) else { throw EngineError.notFound(.app) }
        try check(id)
        return id
    }
}
