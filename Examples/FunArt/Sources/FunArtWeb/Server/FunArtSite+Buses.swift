#if os(Linux)
import Foundation
import Hummingbird

extension FunArtSite {
    func addBusPages(to router: Router<Context>) {
        router.get("/events/:event/map") { request, context in
            let id = try context.id("event")
            return try await answer(request) { app, visit in
                guard let map = await map(of: id, app, visit) else { return missingPage(visit) }
                if let stop = visit.query["stop"] { await map.select(stop) }
                let view = MapDrawing(map.state, session: session(of: visit), visit.texts)
                let back = Address.event(id) + "?session=\(session(of: visit))"
                return .page(renderer.page("map", map.state.venue.place, visit, back: back, view))
            }
        }
        router.get("/events/:event/routes") { request, context in
            let id = try context.id("event")
            return try await answer(request) { app, visit in
                guard let map = await map(of: id, app, visit) else { return missingPage(visit) }
                let list = app.routes(map.state.pins.map(\.stop))
                await list.load()
                let view = RouteListView(list.state, event: id, session: session(of: visit), visit.texts)
                let back = Address.event(id) + "/map?session=\(session(of: visit))"
                return .page(renderer.page("routes", visit.texts.routes, visit, back: back, view))
            }
        }
        router.get("/routes/:route") { request, context in
            let id = try context.id("route")
            return try await answer(request) { app, visit in
                guard let screen = try await arrivals(of: id, app) else { return missingPage(visit) }
                let view = ArrivalsView(screen.state, visit.texts)
                let event = visit.query["event"].map { Address.event($0) + "/routes?session=\(session(of: visit))" }
                return .page(renderer.page("arrivals", screen.state.route.name, visit, back: event ?? "/kinds", view))
            }
        }
        // The same rows for the browser, which asks again and again.
        router.get("/routes/:route/rows") { request, context in
            let id = try context.id("route")
            return try await answer(request) { app, visit in
                guard let screen = try await arrivals(of: id, app) else { return missingPage(visit) }
                return .page(renderer.part("arrival-rows", ArrivalsView(screen.state, visit.texts)))
            }
        }
    }

    /// The map around the venue of the chosen session; `nil` when nobody knows where that is.
    @MainActor
    private func map(of event: String, _ app: FunArtModel, _ visit: Visit) async -> MapModel? {
        let screen = app.event(event)
        await screen.load()
        screen.choose(session(of: visit))
        guard let venue = screen.state.session, let map = app.map(venue) else { return nil }
        await map.load()
        return map
    }

    @MainActor
    private func arrivals(of id: String, _ app: FunArtModel) async throws -> ArrivalsModel? {
        guard let screen = await app.arrivals(ofRoute: id) else { return nil }
        await screen.refresh()
        return screen
    }
}
#endif
