import CarillonContentJobs
import CarillonEngine
import CarillonModel
import Hummingbird

/// `/v1/devices/{device}/content-sets/{set}/follows`: what the Device's User follows, for the SDK by App key and Device
/// secret.
struct DeviceFollowRoutes: Sendable {
    let follows: ContentFollows
    let messages: UserMessages

    func declare(_ routes: inout Routes) {
        let path = DeviceRoutes.path + "/content-sets/{set}/follows"
        routes.on(.get, path, .device, list)
        routes.on(.put, path + "/{follow}", .device, put)
        routes.on(.delete, path + "/{follow}", .device, delete)
    }

    @Sendable private func list(_ call: DeviceCall) async throws -> Response {
        let (set, app) = (try call[.contentSet], call.caller.app)
        let user = try await messages.user(of: call.caller)
        return try Response(try await contentAnswer(try await follows.list(of: set, app: app, user: user)))
    }

    @Sendable private func put(_ call: DeviceCall) async throws -> Response {
        let request: ContentFollowRequest = try await call.body(upTo: BodyLimit.standard)
        let (set, name, app) = (try call[.contentSet], try call[.contentFollow], call.caller.app)
        let user = try await messages.user(of: call.caller)
        let follow = try await contentAnswer(try await follows.put(name, of: set, app: app, user: user, request))
        do {
            _ = try await messages.user(of: call.caller)
        } catch {
            // The User, or the Device, was erased meanwhile: nothing of them stays.
            try? await follows.delete(name, of: set, app: app, user: user)
            throw error
        }
        return try Response(follow)
    }

    @Sendable private func delete(_ call: DeviceCall) async throws -> Response {
        let (set, name, app) = (try call[.contentSet], try call[.contentFollow], call.caller.app)
        let user = try await messages.user(of: call.caller)
        try await contentAnswer(try await follows.delete(name, of: set, app: app, user: user))
        return .noContent
    }
}
