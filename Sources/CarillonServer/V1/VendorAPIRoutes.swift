import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/apps/{app}/vendor-apis`: which vendors' calls the server answers for an App.
struct VendorAPIRoutes: Sendable {
    let vendorAPIs: VendorAPIs

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/apps/{app}/vendor-apis", .key(.read, app: .path), list)
        routes.on(.put, "/v1/apps/{app}/vendor-apis/{api}", .key(.admin, app: .path), turnOn)
        routes.on(.delete, "/v1/apps/{app}/vendor-apis/{api}", .key(.admin, app: .path), turnOff)
    }

    @Sendable private func list(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await vendorAPIs.list(app: try call.app()))
    }

    @Sendable private func turnOn(_ call: KeyCall<PathApp>) async throws -> Response {
        let (app, api) = (try call.app(), try call[.vendorAPI])
        let request: VendorAPIRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await vendorAPIs.turnOn(api, app: app, request))
    }

    @Sendable private func turnOff(_ call: KeyCall<PathApp>) async throws -> Response {
        try await vendorAPIs.turnOff(try call[.vendorAPI], app: try call.app())
        return .noContent
    }
}
