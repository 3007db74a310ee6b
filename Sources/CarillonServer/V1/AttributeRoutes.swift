import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Attributes of a User: `/v1/devices/{device}/attributes` by App key and Device secret, `/v1/users/{user}/attributes`
/// by API key.
struct AttributeRoutes: Sendable {
    let attributes: Attributes

    func declare(_ routes: inout Routes) {
        routes.on(.get, DeviceRoutes.path + "/attributes", .device, get)
        routes.on(.patch, DeviceRoutes.path + "/attributes", .device, change)
        routes.on(.get, "/v1/users/{user}/attributes", .key(.read, app: .query), recorded: .all, getOfUser)
        routes.on(.patch, "/v1/users/{user}/attributes", .key(.admin, app: .query), changeOfUser)
    }

    @Sendable private func get(_ call: DeviceCall) async throws -> Response {
        try Response(try await attributes.attributes(of: call.caller))
    }

    @Sendable private func change(_ call: DeviceCall) async throws -> Response {
        let change: UserAttributes = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await attributes.apply(change, of: call.caller))
    }

    @Sendable private func getOfUser(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        return try Response(try await attributes.attributes(of: try call[.user], app: app))
    }

    @Sendable private func changeOfUser(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let user = try call[.user]
        let change: UserAttributes = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await attributes.apply(change, to: user, app: app))
    }
}
