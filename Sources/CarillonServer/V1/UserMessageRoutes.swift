import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Messages of Users to Users: `/v1/devices/{device}/messages` by App key and Device secret, the rules and the list by
/// API key.
struct UserMessageRoutes: Sendable {
    let messages: UserMessages
    let credentials: Credentials

    func declare(_ routes: inout Routes) {
        routes.on(.post, DeviceRoutes.path + "/messages", send)
        routes.on(.get, "/v1/user-messages", recorded: .all, list)
        routes.on(.get, "/v1/apps/{app}/user-messages", rules)
        routes.on(.put, "/v1/apps/{app}/user-messages", setRules)
    }

    @Sendable private func send(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await credentials.device(request, context)
        let message: UserMessage = try await request.decoded(upTo: BodyLimit.standard)
        if let wait = try await messages.send(message, from: caller) {
            throw ProblemAnswer.tooManyRequests(
                "The Device sends, or the other User is sent, too many messages.",
                retryAfter: Int(wait.components.seconds) + 1
            )
        }
        // Whether there is such a User is nobody's to learn.
        return .noContent
    }

    /// What people write to each other is for keys that are made for it; a key that reads all else does not see it.
    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .messages)
        let query = try Query(request, "app", "cursor", "limit")
        return try Response(
            try await messages.list(
                app: try principal.app(named: try query.app()),
                before: try query.cursor(CampaignID.self),
                limit: try query.limit(1...100, default: 25)
            )
        )
    }

    @Sendable private func rules(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await messages.rules(of: try principal.app(of: context)))
    }

    @Sendable private func setRules(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let rules: UserMessageRules = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await messages.setRules(rules, of: try principal.app(of: context)))
    }
}
