#if os(Linux)
import Foundation
import Hummingbird

extension FunArtSite {
    func addEventPages(to router: Router<Context>) {
        router.get("/kinds") { request, _ in
            try await answer(request) { app, visit in
                if app.state.isOffline { await app.didBecomeActive() }
                let trouble = TroubleView(nil, isStored: app.state.isOffline, visit.texts)
                let view = KindsView(kinds: Choice.kinds(visit.texts), trouble: trouble)
                return .page(renderer.page("kinds", visit.texts.kinds, visit, view))
            }
        }
        router.get("/events") { request, _ in
            try await answer(request) { app, visit in
                let kind = visit.query["kind"].flatMap(EventKind.init) ?? .music
                let period = visit.query["weeks"].flatMap(Int.init).flatMap(Period.init) ?? .oneWeek
                let screen = app.list(kind, period: period)
                await screen.load()
                let title = visit.texts.name(of: kind)
                let view = EventListView(screen.state, visit.texts)
                return .page(renderer.page("events", title, visit, back: "/kinds", view))
            }
        }
        router.get("/events/:event") { request, context in
            let id = try context.id("event")
            return try await answer(request) { app, visit in
                let screen = app.event(id)
                await screen.load()
                screen.choose(session(of: visit))
                return eventPage(screen.state, visit)
            }
        }
        router.post("/events/:event/follow") { request, context in
            let id = try context.id("event")
            return try await answer(request) { app, visit in
                let screen = app.event(id)
                await screen.load()
                screen.choose(session(of: visit))
                await screen.toggleFollow()
                guard screen.state.failure == nil else { return eventPage(screen.state, visit) }
                return .redirect(Address.event(id) + "?session=\(screen.state.chosen)")
            }
        }
    }

    /// The position of the chosen session.
    func session(of visit: Visit) -> Int { visit.query["session"].flatMap(Int.init) ?? 0 }

    /// The page of what does not exist.
    func missingPage(_ visit: Visit) -> Outcome {
        let texts = visit.texts
        return .missing(renderer.page("missing", texts.noSuchEvent, visit, back: "/kinds", TroubleView(nil, texts)))
    }

    private func eventPage(_ state: EventState, _ visit: Visit) -> Outcome {
        guard state.session != nil || state.failure != nil else { return missingPage(visit) }
        let view = EventView(state, visit.texts)
        return .page(renderer.page("event", visit.texts.eventTitle, visit, back: "/kinds", view))
    }
}
#endif
