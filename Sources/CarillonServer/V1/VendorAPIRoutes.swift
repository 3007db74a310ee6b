import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/apps/{app}/vendor-apis`: which vendors' calls the server answers for an App.
struct VendorAPIRoutes: Sendable {
    let vendorAPIs: VendorAPIs
    let sets: ContentSets

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/apps/{app}/vendor-apis", .key(.read, app: .path), list)
        routes.on(.put, "/v1/apps/{app}/vendor-apis/{api}", .key(.admin, app: .path), turnOn)
        routes.on(.delete, "/v1/apps/{app}/vendor-apis/{api}", .key(.admin, app: .path), turnOff)
    }

    @Sendable private func list(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await vendorAPIs.list(app: try call.app()))
    }

    @Sendable private func turnOn(_ call: KeyCall<PathApp>) async throws -> Response {
        let (app, api) = (try call.app(), try call[.vendorAPI])
        let request: VendorAPIRequest = try await call.body(upTo: BodyLimit.standard)
        if api == .coimotion, let settings = request.coimotion { try await check(settings.contentSets, app) }
        return try Response(try await vendorAPIs.turnOn(api, app: app, request))
    }

    /// Checks that content sets are there, with the tables that the repositories read.
    private func check(_ named: CoimotionSettings.ContentSets, _ app: AppID) async throws {
        let repositories = [
            ("twShow", named.twShow, ["events"]), ("twCtBus", named.twCtBus, ["stops", "routes"]),
            ("cms", named.cms, ["page", "geoLoc"]),
        ]
        var errors: [FieldError] = []
        for (repository, name, tables) in repositories {
            guard let name else { continue }
            let field = "coimotion.contentSets.\(repository)"
            do throws(ContentSetError) {
                let definition = try await sets.set(name, app: app).definition
                guard let missing = tables.first(where: { definition.table($0) == nil }) else { continue }
                errors.append(FieldError(field: field, problem: "must have the table \(missing)"))
            } catch {
                guard error == .notFound else { throw EngineError(error) }
                errors.append(FieldError(field: field, problem: "must be a content set of the App"))
            }
        }
        guard errors.isEmpty else { throw Problem.invalidFields(errors) }
    }

    @Sendable private func turnOff(_ call: KeyCall<PathApp>) async throws -> Response {
        try await vendorAPIs.turnOff(try call[.vendorAPI], app: try call.app())
        return .noContent
    }
}
