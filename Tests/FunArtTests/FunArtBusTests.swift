import Foundation
import SampledFunArt
import Testing

/// The map, the routes and the arrivals of 瘋藝文.
@MainActor
struct FunArtBusTests {
    private let world = FunArtWorld()
    private let app: FunArtModel
    private let place = Position(latitude: 22.62, longitude: 120.3)

    init() { app = FunArtModel(world.services) }

    private func stop(_ id: String) -> BusStop { BusStop(id: id, name: "站\(id)", code: "0\(id)", position: place) }

    private func map() throws -> MapModel {
        var venue = EventSession(id: "1", event: "e1", title: "音樂會")
        venue.position = place
        return try #require(app.map(venue))
    }

    @Test("M-99 Stops have name and code; one is enough for the list of routes")
    func stops() async throws {
        let map = try map()
        await map.load()
        #expect(!map.state.hasRouteList)
        world.answer { $0.stops = [stop("1")] }
        await map.load()
        #expect(map.state.hasRouteList)
        #expect(map.state.pins.map(\.title) == ["站1(01)"])
        #expect(MapState.span == 0.007)
    }

    @Test("M-99 A tapped stop is asked for its routes once")
    func taps() async throws {
        world.answer { answers in
            answers.stops = [stop("1"), stop("2")]
            answers.routes = ["1": [BusRoute(id: "r1", name: "紅1"), BusRoute(id: "r2", name: "橘2")]]
        }
        let map = try map()
        await map.load()
        await map.select("1")
        await map.select("2")
        await map.select("1")
        await map.select("nowhere")
        #expect(map.state.selectedPin?.routes == "紅1, 橘2")
        #expect(world.asked.filter { $0.hasPrefix("routes") } == ["routes 1", "routes 2"])

        world.answer { $0.failure = Failure(.unreachable) }
        await map.load()
        #expect(map.state.failure?.reason == .unreachable)
        #expect(map.state.pins.count == 2)
    }

    @Test("M-100 Stops are asked one after another; routes of one name and the same ends are one, the first")
    func routes() async {
        world.answer { answers in
            answers.routes = [
                "1": [BusRoute(id: "r1", name: "紅1", ends: "A－B"), BusRoute(id: "r2", name: "紅1", ends: "A－C")],
                "2": [BusRoute(id: "r3", name: "紅1", ends: "A－B"), BusRoute(id: "r4", name: "橘1", ends: "A－B")],
            ]
        }
        let list = app.routes([stop("1"), stop("2")])
        var lengths: [Int] = []
        list.onChange = { lengths.append($0.routes.count) }
        await list.load()
        #expect(list.state.routes.map(\.id) == ["r1", "r2", "r4"])
        #expect(world.asked == ["routes 1", "routes 2"])
        #expect(lengths == lengths.sorted() && lengths.contains(2))
        #expect(!list.state.isLoading)
    }

    @Test("M-100 A failure ends the list with what is known")
    func routesFail() async {
        world.answer { $0.failure = Failure(.unreachable) }
        let list = app.routes([stop("1"), stop("2")])
        await list.load()
        #expect(world.asked == ["routes 1"])
        #expect(list.state.failure?.reason == .unreachable && !list.state.isLoading)
    }

    @Test("M-101 Until the first answer there are no rows; a failure keeps the last ones")
    func arrivals() async {
        let screen = app.arrivals(BusRoute(id: "r1", name: "紅1", ends: "A－B"))
        #expect(screen.state.rows == nil)
        #expect(screen.state.title == "紅1(A－B)")
        let due = world.now.addingTimeInterval(600)
        world.answer { answers in
            answers.arrivals = [
                BusArrival(stop: "1", name: "站1", isInbound: false, time: due, isPredicted: true),
                BusArrival(stop: "2", name: "站2", isInbound: true, time: nil, isPredicted: false),
            ]
        }
        await screen.refresh()
        let words = (screen.state.rows ?? []).map { ArrivalWords($0, in: .chinese) }
        #expect(words.map(\.time) == ["12:10", "未提供"])
        #expect(words.map(\.direction) == ["去", "回"])
        #expect(screen.state.updated == "12:00")

        world.answer { $0.failure = Failure(.unreachable) }
        await screen.refresh()
        #expect(screen.state.rows?.count == 2)
        #expect(screen.state.failure?.reason == .unreachable)

        world.answer { ($0.failure, $0.arrivals, $0.isStored) = (nil, [], true) }
        await screen.refresh()
        #expect(screen.state.rows == [] && screen.state.isStored && screen.state.failure == nil)
    }

    @Test("M-101 A route is found by its id; without a network its id is its name")
    func routeByID() async {
        world.answer { $0.routes = ["1": [BusRoute(id: "r1", name: "紅1")]] }
        #expect(await app.arrivals(ofRoute: "r1")?.state.route.name == "紅1")
        #expect(await app.arrivals(ofRoute: "r9") == nil)
        world.answer { $0.failure = Failure(.unreachable) }
        #expect(await app.arrivals(ofRoute: "r1")?.state.route.name == "r1")
    }
}
