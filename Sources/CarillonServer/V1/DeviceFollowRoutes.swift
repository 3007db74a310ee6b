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
        let follower = try await follower(call)
        return try Response(try await contentAnswer(try await follows.list(of: set, app: app, by: follower)))
    }

    @Sendable private func put(_ call: DeviceCall) async throws -> Response {
        let request: ContentFollowRequest = try await call.body(upTo: BodyLimit.standard)
        let (set, name, app) = (try call[.contentSet], try call[.contentFollow], call.caller.app)
        let follower = try await follower(call)
        let follow = try await contentAnswer(
            try await follows.put(name, of: set, app: app, by: follower, request)
        )
        do {
            _ = try await messages.user(of: call.caller)
        } catch {
            // The User, or the Device, was erased meanwhile: nothing of them stays.
            try? await follows.delete(name, of: set, app: app, by: follower)
            throw error
        }
        return try Response(follow)
    }

    @Sendable private func delete(_ call: DeviceCall) async throws -> Response {
        let (set, name, app) = (try call[.contentSet], try call[.contentFollow], call.caller.app)
        let follower = try await follower(call)
        try await contentAnswer(try await follows.delete(name, of: set, app: app, by: follower))
        return .noContent
    }

    private func follower(_ call: DeviceCall) async throws -> ContentFollows.Follower {
        ContentFollows.Follower(user: try await messages.user(of: call.caller), device: call.caller.device)
    }
}
