import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// What the App keeps about a User: `/v1/devices/{device}/attributes` by App key and Device secret,
/// `/v1/users/{user}/attributes` by API key.
struct AttributeRoutes: Sendable {
    let attributes: Attributes
    let credentials: Credentials

    func declare(_ routes: inout Routes) {
        routes.on(.get, DeviceRoutes.path + "/attributes", get)
        routes.on(.patch, DeviceRoutes.path + "/attributes", change)
        routes.on(.get, "/v1/users/{user}/attributes", recorded: .all, getOfUser)
        routes.on(.patch, "/v1/users/{user}/attributes", changeOfUser)
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        try Response(try await attributes.attributes(of: try await credentials.device(request, context)))
    }

    @Sendable private func change(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await credentials.device(request, context)
        let change: UserAttributes = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await attributes.apply(change, of: caller))
    }

    @Sendable private func getOfUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let app = try principal.app(named: try Query(request, "app").app())
        return try Response(try await attributes.attributes(of: try context.user(), app: app))
    }

    @Sendable private func changeOfUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let app = try principal.app(named: try Query(request, "app").app())
        let user = try context.user()
        let change: UserAttributes = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await attributes.apply(change, to: user, app: app))
    }
}
