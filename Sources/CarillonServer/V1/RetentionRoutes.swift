import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/apps/{app}/retention`: how long an App's rows are kept.
struct RetentionRoutes: Sendable {
    let retention: Retention
    let credentials: Credentials

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/apps/{app}/retention", get)
        routes.on(.put, "/v1/apps/{app}/retention", set)
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await retention.days(of: try principal.app(of: context)))
    }

    @Sendable private func set(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let days: RetentionDays = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await retention.setDays(days, of: try principal.app(of: context)))
    }
}
