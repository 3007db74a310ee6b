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
        let caller = try await credentials.device(request, context)
        return try Response(
            try await inboxes.inbox(
                app: caller.app,
                device: caller.device,
                secret: try credentials.deviceSecret(request)
            )
        )
    }

    @Sendable private func read(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await credentials.device(request, context)
        let reading: InboxReading = try await request.decoded(upTo: BodyLimit.standard)
        let unread = try await inboxes.read(
            app: caller.app,
            device: caller.device,
            secret: try credentials.deviceSecret(request),
            reading
        )
        return try Response(InboxUnread(unread: unread))
    }
}
