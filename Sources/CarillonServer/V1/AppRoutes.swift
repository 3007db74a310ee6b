import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/apps`.
struct AppRoutes: Sendable {
    let apps: Apps
    let deletions: AppDeletions
    let pushKeys: PushKeys
    let idempotency: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/apps", .key(.admin, app: .none), create)
        routes.on(.get, "/v1/apps", .key(.read, app: .key), query: ["cursor", "limit"], list)
        routes.on(.get, "/v1/apps/{app}", .key(.read, app: .path), get)
        routes.on(.patch, "/v1/apps/{app}", .key(.admin, app: .path), update)
        routes.on(.delete, "/v1/apps/{app}", .key(.admin, app: .path), delete)
        routes.on(.post, "/v1/apps/{app}/pause-sending", .key(.send, app: .path), pauseSending)
        routes.on(.post, "/v1/apps/{app}/resume-sending", .key(.send, app: .path), resumeSending)
        routes.on(.post, "/v1/apps/{app}/rotate-keys", .key(.admin, app: .path), rotateKeys)
        routes.on(.delete, "/v1/apps/{app}/former-keys/{kind}", .key(.admin, app: .path), endFormerKeys)
        routes.on(.get, "/v1/apps/{app}/push-key", .key(.read, app: .path), pushKey)
        routes.on(.put, "/v1/apps/{app}/push-key", .key(.admin, app: .path), setPushKey)
        routes.on(.post, "/v1/apps/{app}/push-key/check", .key(.admin, app: .path), checkPushKey)
        routes.on(.post, "/v1/apps/{app}/push-key/candidate", .key(.admin, app: .path), useCandidate)
        routes.on(.delete, "/v1/apps/{app}/push-key/candidate", .key(.admin, app: .path), discardCandidate)
        routes.on(.post, "/v1/apps/{app}/push-key/simulator", .key(.admin, app: .path), useSimulator)
    }

    @Sendable private func create(_ call: KeyCall<NoApp>) async throws -> Response {
        let (body, wanted) = try await call.repeatableBody(AppRequest.self, upTo: BodyLimit.standard)
        let answer = CreatedAnswer<AppSecrets>(location: { "/v1/apps/\($0.app.id)" }) { secrets in
            var redacted = secrets
            redacted.identitySecret = ""
            return redacted
        }
        return try await idempotency.answer(call, body, answer) { try await apps.create(wanted, for: $0) }
    }

    @Sendable private func list(_ call: KeyCall<KeyApp>) async throws -> Response {
        let query = call.query
        let (cursor, limit) = (try query.cursor(AppID.self), try query.limit())
        if let own = call.within {
            return try Response(Page(items: [try await apps.app(own)], nextCursor: nil))
        }
        return try Response(try await apps.list(after: cursor, limit: limit))
    }

    @Sendable private func get(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await apps.app(try call.app()))
    }

    @Sendable private func update(_ call: KeyCall<PathApp>) async throws -> Response {
        let change: AppUpdate = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await apps.update(try call.app(), change))
    }

    @Sendable private func delete(_ call: KeyCall<PathApp>) async throws -> Response {
        // A key of the App would end with it, and whoever has one may not end the others.
        try call.requireServerKey()
        try await deletions.delete(try call.app())
        return .noContent
    }

    @Sendable private func pauseSending(_ call: KeyCall<PathApp>) async throws -> Response {
        AuditNote.current?.set(change: "sending → paused")
        return try Response(try await apps.pauseSending(try call.app(), by: "\(call.principal.key)"))
    }

    @Sendable private func resumeSending(_ call: KeyCall<PathApp>) async throws -> Response {
        AuditNote.current?.set(change: "paused → sending")
        return try Response(try await apps.resumeSending(try call.app()))
    }

    @Sendable private func rotateKeys(_ call: KeyCall<PathApp>) async throws -> Response {
        let app = try call.app()
        let rotation: AppKeyRotation = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await apps.rotateKeys(app, rotation))
    }

    @Sendable private func endFormerKeys(_ call: KeyCall<PathApp>) async throws -> Response {
        let app = try call.app()
        return try Response(try await apps.endFormerKeys(try call[.appKeyKind], of: app))
    }

    @Sendable private func pushKey(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await pushKeys.record(of: try call.app()))
    }

    @Sendable private func setPushKey(_ call: KeyCall<PathApp>) async throws -> Response {
        let key: PushKeyRequest = try await call.body(upTo: BodyLimit.standard)
        let author = call.principal.key.description
        return try Response(try await pushKeys.set(key, of: try call.app(), by: author))
    }

    @Sendable private func checkPushKey(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await pushKeys.check(try call.app()))
    }

    @Sendable private func useCandidate(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await pushKeys.promote(try call.app()))
    }

    @Sendable private func discardCandidate(_ call: KeyCall<PathApp>) async throws -> Response {
        try await pushKeys.discardCandidate(of: try call.app())
        return .noContent
    }

    @Sendable private func useSimulator(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await apps.useSimulator(try call.app()))
    }
}
