import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/operators`: the people who use the console, for keys of the server with scope `admin`.
struct OperatorRoutes: Sendable {
    let operators: Operators

    private static let all = "/v1/operators"
    private static let one = "/v1/operators/{operator}"

    func declare(_ routes: inout Routes) {
        routes.on(.get, Self.all, .key(.admin, app: .none), query: ["cursor", "limit"], list)
        routes.on(.post, Self.all, .key(.admin, app: .none), invite)
        routes.on(.get, Self.one, .key(.admin, app: .none), record)
        routes.on(.patch, Self.one, .key(.admin, app: .none), update)
        routes.on(.delete, Self.one, .key(.admin, app: .none), remove)
        routes.on(.post, Self.one + "/link", .key(.admin, app: .none), link)
        routes.on(.delete, Self.one + "/sessions", .key(.admin, app: .none), endSessions)
    }

    @Sendable private func list(_ call: KeyCall<NoApp>) async throws -> Response {
        let query = call.query
        return try Response(
            try await operators.list(after: try query.cursor(OperatorID.self), limit: try query.limit())
        )
    }

    @Sendable private func invite(_ call: KeyCall<NoApp>) async throws -> Response {
        let invitation: OperatorInvitation = try await call.body(upTo: BodyLimit.standard)
        let change = try await operators.invite(invitation, by: .server)
        AuditNote.current?.set(change: change.change)
        var response = try Response(change.value, status: .created)
        response.headers[.location] = "\(Self.all)/\(change.object)"
        return response
    }

    @Sendable private func record(_ call: KeyCall<NoApp>) async throws -> Response {
        try Response(try await operators.record(try call[.person]))
    }

    @Sendable private func update(_ call: KeyCall<NoApp>) async throws -> Response {
        let id = try call[.person]
        let update: OperatorUpdate = try await call.body(upTo: BodyLimit.standard)
        return try Response(noted(try await operators.update(id, update, by: .server)))
    }

    @Sendable private func remove(_ call: KeyCall<NoApp>) async throws -> Response {
        _ = noted(try await operators.remove(try call[.person], by: .server))
        return .noContent
    }

    @Sendable private func link(_ call: KeyCall<NoApp>) async throws -> Response {
        let id = try call[.person]
        let request: OperatorLinkRequest = try await call.body(upTo: BodyLimit.standard)
        let removes = request.removesSecondFactor
        return try Response(noted(try await operators.newLink(for: id, removesSecondFactor: removes, by: .server)))
    }

    @Sendable private func endSessions(_ call: KeyCall<NoApp>) async throws -> Response {
        _ = noted(try await operators.endSessions(of: try call[.person], by: .server))
        return .noContent
    }

    /// The value of a change, with what changed in the entry of the audit log.
    private func noted<Value>(_ change: OperatorChange<Value>) -> Value {
        AuditNote.current?.set(change: change.change)
        return change.value
    }
}
