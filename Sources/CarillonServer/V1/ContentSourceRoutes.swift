import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// `/v1/content-sets/{set}/sources`: what the server fetches, and `/arrivals`, which some of it is for.
struct ContentSourceRoutes: Sendable {
    let sources: ContentSources
    let arrivals: ContentArrivals

    func declare(_ routes: inout Routes) {
        let path = "/v1/content-sets/{set}/sources"
        routes.on(.get, path, .key(.read, app: .query), list)
        routes.on(.put, path + "/{source}", .key(.admin, app: .query), put)
        routes.on(.get, path + "/{source}", .key(.read, app: .query), get)
        routes.on(.delete, path + "/{source}", .key(.admin, app: .query), delete)
        routes.on(.post, path + "/{source}/fetch", .key(.admin, app: .query), fetch)
        routes.on(.get, "/v1/content-sets/{set}/arrivals", .appOrKey(.read), query: ["route"], next)
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, app) = (try call[.contentSet], try call.app())
        return try Response(try await contentAnswer(try await sources.list(of: set, app: app)))
    }

    @Sendable private func put(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let request: ContentSourceRequest = try await call.body(upTo: BodyLimit.standard)
        let (set, name, app) = (try call[.contentSet], try call[.contentSource], try call.app())
        return try Response(try await contentAnswer(try await sources.put(name, of: set, app: app, request)))
    }

    @Sendable private func get(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, name, app) = (try call[.contentSet], try call[.contentSource], try call.app())
        return try Response(try await contentAnswer(try await sources.source(name, of: set, app: app)))
    }

    @Sendable private func delete(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, name, app) = (try call[.contentSet], try call[.contentSource], try call.app())
        try await contentAnswer(try await sources.delete(name, of: set, app: app))
        return .noContent
    }

    @Sendable private func fetch(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, name, app) = (try call[.contentSet], try call[.contentSource], try call.app())
        return try Response(try await contentAnswer(try await sources.fetch(name, of: set, app: app)))
    }

    @Sendable private func next(_ call: AppCall) async throws -> Response {
        let (query, set, app) = (call.query, try call[.contentSet], call.app)
        guard let route = query["route"] else {
            throw Problem.invalidField(FieldError(field: "route", problem: "is required"))
        }
        return try Response(try await contentAnswer(try await arrivals.next(route: route, of: set, app: app)))
    }
}
