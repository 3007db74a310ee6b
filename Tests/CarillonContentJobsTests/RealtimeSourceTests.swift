import CarillonContentJobs
import CarillonEngine
import CarillonModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import SwiftProtobuf
import Testing

@testable import CarillonContentSets

/// Feeds of GTFS-Realtime that the server fetches.
@Suite(.timeLimit(.minutes(5)))
struct RealtimeSourceTests {
    /// Two stops, a minute apart, from 01:00 UTC of each day.
    private static let timetable: TransitTimetable = {
        var pattern = TransitTimetable.Pattern(direction: 0, stops: ["s1", "s2"])
        pattern.profiles = [[0, 60]]
        pattern.trips = [.init(id: "t", service: 0, profile: 0, start: 3_600)]
        let service = TransitTimetable.Service(
            weekdays: [Bool](repeating: true, count: 7),
            first: 20_000,
            last: 30_000
        )
        return TransitTimetable(zone: "UTC", patterns: [pattern], services: [service])
    }()

    private func message(delay: Int32, at time: Timestamp) throws -> [UInt8] {
        var feed = TransitRealtime_FeedMessage()
        feed.header.gtfsRealtimeVersion = "2.0"
        feed.header.timestamp = UInt64(time.rawValue / 1_000)
        var entity = TransitRealtime_FeedEntity()
        entity.id = "1"
        entity.tripUpdate.trip.tripID = "t"
        var update = TransitRealtime_TripUpdate.StopTimeUpdate()
        update.stopSequence = 1
        update.arrival.delay = delay
        entity.tripUpdate.stopTimeUpdate = [update]
        feed.entity = [entity]
        return try feed.serializedBytes()
    }

    private func response(_ bytes: [UInt8]) -> Response {
        Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func withFeed(
        _ test: @escaping @Sendable (JobWorld, OutsideServer) async throws -> Void
    ) async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        let definition = try #require(ContentSetDefinition.preset("transit"))
        _ = try await world.services.sets.put("buses", definition, app: world.app)
        let route: JSONValue = .object([
            "id": .string("r"), "name": .string("R"), "timetable": Self.timetable.json,
        ])
        let routes = Array(try JSONEncoder().encode([route]))
        _ = try await world.services.sets.importFile(routes, .json, table: "routes", into: "buses", app: world.app)
        try await outside.run { port in
            var request = ContentSourceRequest(.gtfsRealtime, url: "http://127.0.0.1:\(port)/updates.pb")
            request.interval = 30
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, request)
            try await test(world, outside)
        }
    }

    private func times(_ world: JobWorld) async throws -> [String?] {
        try await world.services.arrivals.next(route: "r", of: "buses", app: world.app).items
            .map { $0.time.map { String($0.description.dropFirst(11).prefix(8)) } }
    }

    @Test("M-65 The next question has what vehicles told since; M-66 what is too old gives way to the timetable")
    func later() async throws {
        try await withFeed { world, outside in
            let node = world.node()
            #expect(try await times(world) == ["01:00:00", "01:01:00"])
            let first = try message(delay: 60, at: world.time.wall)
            outside.set { _ in response(first) }
            #expect(await node.fetchDue() == 1)
            #expect(try await times(world) == ["01:01:00", "01:02:00"])

            world.time.advance(by: .seconds(30))
            let second = try message(delay: 120, at: world.time.wall)
            outside.set { _ in response(second) }
            #expect(await node.fetchDue() == 1)
            #expect(try await times(world) == ["01:02:00", "01:03:00"])

            world.time.advance(by: .seconds(300))
            #expect(try await times(world) == ["01:02:00", "01:03:00"])
            world.time.advance(by: .seconds(1))
            #expect(try await times(world) == ["01:00:00", "01:01:00"])
        }
    }

    @Test("M-66 A feed that claims to be of the future is as old as its fetch") func future() async throws {
        try await withFeed { world, outside in
            let ahead = try message(delay: 60, at: world.time.wall.advanced(by: .seconds(86_400)))
            outside.set { _ in response(ahead) }
            #expect(await world.node().fetchDue() == 1)
            let now = world.time.wall
            #expect(
                try await world.services.arrivals.next(route: "r", of: "buses", app: world.app).realtimeAt == now
            )
            world.time.advance(by: .seconds(301))
            #expect(try await times(world) == ["01:00:00", "01:01:00"])
        }
    }

    @Test("M-66 A feed that is too old by its own time is shown as stale") func stale() async throws {
        try await withFeed { world, outside in
            let node = world.node()
            let made = world.time.wall.advanced(by: .seconds(-400))
            let old = try message(delay: 60, at: made)
            outside.set { _ in response(old) }
            #expect(await node.fetchDue() == 1)
            let source = try await world.source(of: "buses")
            #expect(source.status == .stale)
            #expect(source.state.madeAt == made)
            #expect(try await times(world) == ["01:00:00", "01:01:00"])

            world.time.advance(by: .seconds(30))
            let fresh = try message(delay: 60, at: world.time.wall.advanced(by: .seconds(-300)))
            outside.set { _ in response(fresh) }
            #expect(await node.fetchDue() == 1)
            #expect(try await world.source(of: "buses").status == .ok)
        }
    }

    @Test("M-74 A message that is cut off is refused, and M-78 the last good one stays") func cutOff() async throws {
        try await withFeed { world, outside in
            let node = world.node()
            let good = try message(delay: 60, at: world.time.wall)
            outside.set { _ in response(good) }
            _ = await node.fetchDue()
            world.time.advance(by: .seconds(30))
            outside.set { _ in response(Array(good.dropLast(3))) }
            #expect(await node.fetchDue() == 1)
            let source = try await world.source(of: "buses")
            #expect(source.status == .failing)
            #expect(source.state.problem == "The answer is no message of GTFS-Realtime, or it ends too early.")
            #expect(source.nextAt == world.time.wall.advanced(by: .seconds(15)))
            #expect(try await times(world) == ["01:01:00", "01:02:00"])
        }
    }

    @Test("A route that is not there is not found, and one without a timetable has no arrivals")
    func noRoute() async throws {
        try await withFeed { world, _ in
            await #expect(throws: ContentSetError.noRow) {
                try await world.services.arrivals.next(route: "x", of: "buses", app: world.app)
            }
            // A timetable whose positions are out of range is none.
            let broken = """
                [{"id":"x","name":"X","timetable":{"zone":"UTC","services":[],"patterns":[{"direction":0,
                "stops":["a"],"sequences":[],"profiles":[],"trips":[{"id":"t","service":7,"profile":3,"start":0}]}]}}]
                """
            _ = try await world.services.sets.importFile(
                Array(broken.utf8),
                .json,
                table: "routes",
                into: "buses",
                app: world.app
            )
            await #expect(throws: ContentSetError.conflict("The route has no timetable.")) {
                try await world.services.arrivals.next(route: "x", of: "buses", app: world.app)
            }
        }
    }
}
