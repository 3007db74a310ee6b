import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Messages between Users: `/v1/devices/{device}/messages` by App key and Device secret, the rules and the list by API
/// key.
struct UserMessageRoutes: Sendable {
    let messages: UserMessages

    func declare(_ routes: inout Routes) {
        routes.on(.post, DeviceRoutes.path + "/messages", .device, send)
        routes.on(
            .get,
            "/v1/user-messages",
            .key(.messages, app: .query),
            recorded: .all,
            query: ["cursor", "limit"],
            list
        )
        routes.on(.get, "/v1/apps/{app}/user-messages", .key(.read, app: .path), rules)
        routes.on(.put, "/v1/apps/{app}/user-messages", .key(.admin, app: .path), setRules)
    }

    @Sendable private func send(_ call: DeviceCall) async throws -> Response {
        let message: UserMessage = try await call.body(upTo: BodyLimit.standard)
        if let wait = try await messages.send(message, from: call.caller) {
            throw ProblemAnswer.tooManyRequests(
                "The Device sends, or the other User is sent, too many messages.",
                retryAfter: Int(wait.components.seconds) + 1
            )
        }
        // The response must not reveal whether the recipient exists.
        return .noContent
    }

    /// Requires a scope of its own: a key that reads everything else must not read what people write to each other.
    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        return try Response(
            try await messages.list(
                app: try call.app(),
                before: try query.cursor(CampaignID.self),
                limit: try query.limit()
            )
        )
    }

    @Sendable private func rules(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await messages.rules(of: try call.app()))
    }

    @Sendable private func setRules(_ call: KeyCall<PathApp>) async throws -> Response {
        let rules: UserMessageRules = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await messages.setRules(rules, of: try call.app()))
    }
}
