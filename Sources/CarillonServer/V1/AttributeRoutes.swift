import CarillonEngine
import CarillonModel
import Hummingbird

/// `/v1/devices/{device}/attributes`: what the App keeps about the Device's User; by App key and Device secret.
struct AttributeRoutes: Sendable {
    let attributes: Attributes
    let credentials: Credentials

    func declare(_ routes: inout Routes) {
        routes.on(.get, DeviceRoutes.path + "/attributes", get)
        routes.on(.patch, DeviceRoutes.path + "/attributes", change)
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        try Response(try await attributes.attributes(of: try await credentials.device(request, context)))
    }

    @Sendable private func change(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await credentials.device(request, context)
        let change: UserAttributes = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await attributes.apply(change, of: caller))
    }
}
