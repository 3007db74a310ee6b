import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// `/v1/content-sets/{set}/follows`: who hears of new rows, and `/alerts`, what goes out to them.
struct ContentFollowRoutes: Sendable {
    let follows: ContentFollows

    func declare(_ routes: inout Routes) {
        let path = "/v1/content-sets/{set}"
        routes.on(
            .get,
            path + "/follows",
            .key(.read, app: .query),
            query: ["user", "cursor", "limit"],
            list
        )
        routes.on(.put, path + "/follows/{follow}", .key(.send, app: .query), put)
        routes.on(.get, path + "/follows/{follow}", .key(.read, app: .query), get)
        routes.on(.delete, path + "/follows/{follow}", .key(.send, app: .query), delete)
        routes.on(.put, path + "/alerts/{table}", .key(.admin, app: .query), putAlert)
        routes.on(.get, path + "/alerts/{table}", .key(.read, app: .query), getAlert)
        routes.on(.delete, path + "/alerts/{table}", .key(.admin, app: .query), deleteAlert)
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (query, set, app) = (call.query, try call[.contentSet], try call.app())
        let cursor = query["cursor"]
        guard cursor.map(ContentFollows.isStoredName) ?? true else { throw Query.wrongCursor }
        let user = try query["user"].map { text throws in
            guard let user = UserID(rawValue: text) else {
                throw Problem.invalidField(FieldError(field: "user", problem: "must be a User's id"))
            }
            return user
        }
        let limit = try query.limit()
        return try Response(
            try await contentAnswer(
                try await follows.list(of: set, app: app, user: user, after: cursor, limit: limit)
            )
        )
    }

    @Sendable private func put(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let request: ContentFollowRequest = try await call.body(upTo: BodyLimit.list)
        let (set, name, app) = (try call[.contentSet], try call[.contentFollow], try call.app())
        return try Response(try await contentAnswer(try await follows.put(name, of: set, app: app, request)))
    }

    @Sendable private func get(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, name, app) = (try call[.contentSet], try call[.contentFollow], try call.app())
        return try Response(try await contentAnswer(try await follows.follow(name, of: set, app: app)))
    }

    @Sendable private func delete(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, name, app) = (try call[.contentSet], try call[.contentFollow], try call.app())
        try await contentAnswer(try await follows.delete(name, of: set, app: app))
        return .noContent
    }

    @Sendable private func putAlert(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let settings: ContentAlertSettings = try await call.body(upTo: BodyLimit.standard)
        let (set, table, app) = (try call[.contentSet], try call[.contentTable], try call.app())
        return try Response(try await contentAnswer(try await follows.putAlert(table, of: set, app: app, settings)))
    }

    @Sendable private func getAlert(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, table, app) = (try call[.contentSet], try call[.contentTable], try call.app())
        return try Response(try await contentAnswer(try await follows.alert(table, of: set, app: app)))
    }

    @Sendable private func deleteAlert(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, table, app) = (try call[.contentSet], try call[.contentTable], try call.app())
        try await contentAnswer(try await follows.deleteAlert(table, of: set, app: app))
        return .noContent
    }
}
