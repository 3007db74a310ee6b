import Foundation
import SampledFunArt
import Testing

@testable import SampledFunArtApp
@testable import SampledFunArtWeb

/// The pages of 瘋藝文, as they are rendered.
@MainActor
struct FunArtPageTests {
    private static let id = "50% a/b?c#d&e 臺\""
    private static let escaped = "50%25%20a%2Fb%3Fc%23d%26e%20%E8%87%BA%22"

    private func visit(_ notifications: [Document.Notification] = []) -> Visit {
        Visit(language: .chinese, path: "/kinds", query: [:], notifications: notifications)
    }

    @Test("What the phone shows is in a page as the browser's next question has it: nothing is replaced then")
    func notifications() async throws {
        let renderer = try await PageRenderer()
        let notification = Document.Notification(id: "1", title: "新活動：<b>", body: "Jazz & more")
        for shown in [[], [notification]] {
            let visit = visit(shown)
            let kinds = KindsView(kinds: Choice.kinds(visit.texts), trouble: TroubleView(nil, visit.texts))
            let page = renderer.page("kinds", "t", visit, kinds)
            let beginning = try #require(page.range(of: "aria-live=\"polite\">"))
            let end = try #require(page.range(of: "</section>", range: beginning.upperBound..<page.endIndex))
            let part = page[beginning.upperBound..<end.lowerBound]
            let trimmed = { (text: String) in text.trimmingCharacters(in: .whitespacesAndNewlines) }
            #expect(trimmed(String(part)) == trimmed(renderer.notifications(visit)))
            #expect(trimmed(String(part)).isEmpty == shown.isEmpty)
        }
    }

    @Test("The kinds say that the phone is offline") func offline() async throws {
        let renderer = try await PageRenderer()
        for isStored in [true, false] {
            let trouble = TroubleView(nil, isStored: isStored, .chinese)
            let view = KindsView(kinds: Choice.kinds(.chinese), trouble: trouble)
            let page = renderer.page("kinds", "t", visit(), view)
            #expect(page.contains(Texts.chinese.stored) == isStored)
        }
    }

    @Test("Any text is an id: addresses have it escaped") func ids() async throws {
        #expect(Address.escaped(Self.id) == Self.escaped && Self.escaped.removingPercentEncoding == Self.id)
        let (world, renderer) = (FunArtWorld(), try await PageRenderer())
        var session = EventSession(id: "1", event: Self.id, title: "Escapes", startsAt: nil)
        session.position = Position(latitude: 22.6, longitude: 120.3)
        let stop = BusStop(id: Self.id, name: "S", code: "1", position: Position(latitude: 22.6, longitude: 120.3))
        world.answer { answers in
            (answers.sessions, answers.stops) = ([session], [stop])
            answers.routes = [Self.id: [BusRoute(id: Self.id, name: "R")]]
        }
        let app = FunArtModel(world.services)
        let (list, event) = (app.list(.music), app.event(Self.id))
        await list.load()
        await event.load()
        let map = try #require(app.map(session))
        await map.load()
        let (routes, arrivals) = (app.routes([stop]), app.arrivals(BusRoute(id: Self.id, name: "R")))
        await routes.load()
        let pages = [
            ("/events/", renderer.page("events", "t", visit(), EventListView(list.state, .chinese))),
            ("/events/", renderer.page("event", "t", visit(), EventView(event.state, .chinese))),
            ("/events/", renderer.page("map", "t", visit(), MapDrawing(map.state, session: 0, .chinese))),
            ("stop=", renderer.page("map", "t", visit(), MapDrawing(map.state, session: 0, .chinese))),
            (
                "/routes/",
                renderer.page("routes", "t", visit(), RouteListView(routes.state, event: Self.id, session: 0, .chinese))
            ),
            (
                "event=",
                renderer.page("routes", "t", visit(), RouteListView(routes.state, event: Self.id, session: 0, .chinese))
            ),
            ("/routes/", renderer.page("arrivals", "t", visit(), ArrivalsView(arrivals.state, .chinese))),
        ]
        for (place, page) in pages {
            #expect(page.contains(place + Self.escaped), "\(place)")
            #expect(!page.contains(place + "50% "))
        }
    }

    @Test("A push's link leads to its event, whatever the id has") func links() throws {
        let link = try #require(URL(string: "fun-art://events/" + Self.escaped))
        #expect(Names.event(in: link) == Self.id)
        #expect(Names.event(in: try #require(URL(string: "fun-art://kinds/1"))) == nil)
        #expect(Names.event(in: try #require(URL(string: "https://events/1"))) == nil)
    }
}
