import CarillonEngine
import CarillonModel
import HTTPTypes
import Hummingbird

/// `/v1/devices/{device}/inbox`: what came to the person, for the SDK by App key and Device secret.
struct InboxRoutes: Sendable {
    let inboxes: Inboxes
    let credentials: Credentials

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/devices/{device}/inbox", get)
        routes.on(.post, "/v1/devices/{device}/inbox/read", read)
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.app(request, challenge: Challenge.device)
        let secret = try credentials.deviceSecret(request)
        return try Response(try await inboxes.inbox(app: app, device: try id(context), secret: secret))
    }

    @Sendable private func read(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.app(request, challenge: Challenge.device)
        let secret = try credentials.deviceSecret(request)
        let reading: InboxReading = try await request.decoded(upTo: BodyLimit.standard)
        let unread = try await inboxes.read(app: app, device: try id(context), secret: secret, reading)
        return try Response(InboxUnread(unread: unread))
    }

    private func id(_ context: ServerContext) throws -> DeviceID {
        guard let id = DeviceID(context.parameter("device")) else { throw EngineError.notFound(.device) }
        return id
    }
}
