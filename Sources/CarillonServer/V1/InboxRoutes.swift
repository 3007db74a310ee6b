import CarillonEngine
import CarillonModel
import HTTPTypes
import Hummingbird

/// `/v1/devices/{device}/inbox`: the inbox, for the SDK by App key and Device secret.
struct InboxRoutes: Sendable {
    let inboxes: Inboxes

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/devices/{device}/inbox", .device, get)
        routes.on(.post, "/v1/devices/{device}/inbox/read", .device, read)
    }

    @Sendable private func get(_ call: DeviceCall) async throws -> Response {
        try Response(
            try await inboxes.inbox(
                app: call.caller.app,
                device: call.caller.device,
                secret: call.secret
            )
        )
    }

    @Sendable private func read(_ call: DeviceCall) async throws -> Response {
        let reading: InboxReading = try await call.body(upTo: BodyLimit.standard)
        let unread = try await inboxes.read(
            app: call.caller.app,
            device: call.caller.device,
            secret: call.secret,
            reading
        )
        return try Response(InboxUnread(unread: unread))
    }
}
