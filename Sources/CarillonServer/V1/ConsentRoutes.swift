import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// `/v1/devices/{device}/consents` and `/v1/consents/ads`: consent decisions, and those that must be confirmed.
struct ConsentRoutes: Sendable {
    let consents: ConsentRecords

    func declare(_ routes: inout Routes) {
        routes.on(.get, DeviceRoutes.path + "/consents", .key(.read, app: .query), recorded: .all, history)
        routes.on(
            .get,
            "/v1/consents/ads",
            .key(.read, app: .query),
            recorded: .all,
            query: ["from", "until", "cursor", "limit"],
            list
        )
    }

    @Sendable private func history(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        return try Response(try await consents.history(of: try call[.device], app: app))
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        return try Response(
            try await consents.oldAdConsents(
                app: app,
                from: try query.time("from"),
                until: try query.time("until"),
                cursor: query["cursor"],
                limit: try query.limit()
            )
        )
    }
}
