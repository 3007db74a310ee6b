import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/apps/{app}/retention`: the retention periods of an App.
struct RetentionRoutes: Sendable {
    let retention: Retention

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/apps/{app}/retention", .key(.read, app: .path), get)
        routes.on(.put, "/v1/apps/{app}/retention", .key(.admin, app: .path), set)
    }

    @Sendable private func get(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await retention.days(of: try call.app()))
    }

    @Sendable private func set(_ call: KeyCall<PathApp>) async throws -> Response {
        let days: RetentionDays = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await retention.setDays(days, of: try call.app()))
    }
}
