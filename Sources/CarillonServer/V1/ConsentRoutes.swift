import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// `/v1/devices/{device}/consents` and `/v1/consents/ads`: what people decided, and whom to ask again.
struct ConsentRoutes: Sendable {
    let consents: ConsentRecords
    let credentials: Credentials

    func declare(_ routes: inout Routes) {
        routes.on(.get, DeviceRoutes.path + "/consents", recorded: .all, history)
        routes.on(.get, "/v1/consents/ads", recorded: .all, list)
    }

    @Sendable private func history(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let app = try principal.app(named: try Query(request, "app").app())
        return try Response(try await consents.history(of: try context.device(), app: app))
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "app", "from", "through", "cursor", "limit")
        let app = try principal.app(named: try query.app())
        return try Response(
            try await consents.oldAdConsents(
                app: app,
                from: try query.time("from"),
                through: try query.time("through"),
                cursor: query["cursor"],
                limit: try query.limit(1...ConsentRecords.maximumPage, default: 200)
            )
        )
    }
}
