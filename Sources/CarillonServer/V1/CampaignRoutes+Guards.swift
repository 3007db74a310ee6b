import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// What an API key may do about a Campaign that waits for an Operator: everything but approve it, since a key does not say
/// which person uses it.
extension CampaignRoutes {
    func declareGuards(_ routes: inout Routes) {
        routes.on(
            .get,
            "/v1/approvals",
            .key(.read, app: .queryOrAll),
            query: ["cursor", "limit"],
            waiting
        )
        routes.on(.post, "/v1/campaigns/{campaign}/approval/refuse", .key(.send, app: .key), refuse)
        routes.on(.post, "/v1/campaigns/{campaign}/approval/withdraw", .key(.send, app: .key), withdraw)
        routes.on(.post, "/v1/campaigns/{campaign}/undo", .key(.send, app: .key), undo)
        routes.on(.post, "/v1/campaigns/{campaign}/send-now", .key(.send, app: .key), sendNow)
    }

    @Sendable private func waiting(_ call: KeyCall<OptionalQueryApp>) async throws -> Response {
        let query = call.query
        return try Response(
            try await campaigns.waiting(
                app: try call.app(),
                after: try query.cursor(CampaignID.self),
                limit: try query.limit()
            )
        )
    }

    @Sendable private func refuse(_ call: KeyCall<KeyApp>) async throws -> Response {
        let wanted: ApprovalRefusal = try await call.body(upTo: BodyLimit.standard)
        return try Response(
            try await campaigns.refuse(
                try call[.campaign],
                within: call.within,
                reason: wanted.reason,
                by: .key(call.principal.key)
            )
        )
    }

    @Sendable private func withdraw(_ call: KeyCall<KeyApp>) async throws -> Response {
        let author = CampaignAuthor.key(call.principal.key)
        return try Response(try await campaigns.withdraw(try call[.campaign], within: call.within, by: author))
    }

    @Sendable private func undo(_ call: KeyCall<KeyApp>) async throws -> Response {
        let author = CampaignAuthor.key(call.principal.key)
        return try Response(try await campaigns.undo(try call[.campaign], within: call.within, by: author))
    }

    @Sendable private func sendNow(_ call: KeyCall<KeyApp>) async throws -> Response {
        let caller = CampaignCaller(call.principal)
        return try Response(try await campaigns.sendNow(try call[.campaign], within: call.within, by: caller))
    }
}
