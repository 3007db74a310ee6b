import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import Testing

/// Sources of TDX: an access token, pages, and estimates.
@Suite(.timeLimit(.minutes(5)))
struct TDXSourceTests {
    /// TDX with some stops, one route and a token that it may stop believing.
    private final class TDX: Sendable {
        let believed = NIOLockedValueBox("t1")
        let issued = NIOLockedValueBox(0)
        let pauses = NIOLockedValueBox(0)
        let stopCount = 1_234

        func answer(_ request: OutsideServer.Received) -> Response {
            if request.path == "/token" {
                let number = issued.withLockedValue {
                    $0 += 1
                    return $0
                }
                return Response(text: #"{"access_token":"t\#(number)","expires_in":86400,"token_type":"Bearer"}"#)
            }
            guard request.headers[.authorization] == "Bearer \(believed.withLockedValue { $0 })" else {
                return Response(status: .unauthorized)
            }
            let mustPause = pauses.withLockedValue { count in
                defer { count = max(0, count - 1) }
                return count > 0
            }
            if mustPause { return Response(status: .tooManyRequests) }
            let query = URLComponents(string: request.path)?.queryItems ?? []
            let number = { (name: String) in query.first { $0.name == name }?.value.flatMap { Int($0) } ?? 0 }
            let kind = request.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
            let all = rows(kind)
            let page = all.dropFirst(number("$skip")).prefix(number("$top"))
            return Response(text: "[" + page.joined(separator: ",") + "]")
        }

        private func rows(_ kind: String) -> [String] {
            switch kind {
            case "Stop":
                (1...stopCount).map {
                    """
                    {"StopUID":"KHH\($0)","StopID":"\($0)","StopName":{"Zh_tw":"站\($0)","En":"S\($0)"},
                     "StopPosition":{"PositionLat":22.6,"PositionLon":120.3},"City":"Kaohsiung"}
                    """
                }
            case "Route":
                [#"{"RouteUID":"KHH100","RouteID":"100","RouteName":{"Zh_tw":"100百貨幹線"},"City":"Kaohsiung"}"#]
            case "StopOfRoute":
                [
                    """
                    {"RouteUID":"KHH100","Direction":0,"Stops":[{"StopUID":"KHH1","StopSequence":1},
                     {"StopUID":"KHH2","StopSequence":2}]}
                    """
                ]
            case "EstimatedTimeOfArrival":
                [
                    """
                    {"StopUID":"KHH1","RouteUID":"KHH100","Direction":0,"EstimateTime":120,"StopStatus":1,
                     "UpdateTime":"2026-11-26T08:00:00+08:00"}
                    """,
                    """
                    {"StopUID":"KHH2","RouteUID":"KHH100","Direction":0,"StopStatus":3,"EstimateTime":60,
                     "UpdateTime":"2026-11-26T08:00:00+08:00"}
                    """,
                ]
            default: []
            }
        }
    }

    private func withTDX(
        _ test: @escaping @Sendable (JobWorld, TDX, OutsideServer, _ request: ContentSourceRequest) async throws -> Void
    ) async throws {
        let (world, outside, tdx) = (try await JobWorld(), OutsideServer(), TDX())
        let definition = try #require(ContentSetDefinition.preset("transit"))
        _ = try await world.services.sets.put("buses", definition, app: world.app)
        outside.set { tdx.answer($0) }
        try await outside.run { port in
            var request = ContentSourceRequest(.tdx, url: "http://127.0.0.1:\(port)/bus")
            (request.city, request.clientID, request.clientSecret) = ("Kaohsiung", "id", "s3cret&=")
            request.tokenURL = "http://127.0.0.1:\(port)/token"
            try await test(world, tdx, outside, request)
        }
    }

    @Test("M-75 M-77 Stops and routes come page by page, with one token for all of them and for the next fetch")
    func pages() async throws {
        try await withTDX { world, tdx, outside, request in
            let saved = try await world.services.sources.put("feed", of: "buses", app: world.app, request)
            #expect(saved.hasSecret)
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            #expect(try await world.source(of: "buses").state.problem == nil)
            let set = try await world.services.sets.set("buses", app: world.app)
            #expect(set.versions["stops"]?.rowCount == tdx.stopCount)
            #expect(set.versions["routes"]?.rowCount == 1)
            let form = try #require(outside.requests.first { $0.method == .post }).body
            #expect(form == "grant_type=client_credentials&client_id=id&client_secret=s3cret%26%3D")

            world.time.advance(by: .seconds(3_600))
            _ = try await world.services.sources.fetch("feed", of: "buses", app: world.app)
            #expect(await node.fetchDue() == 1)
            #expect(tdx.issued.withLockedValue { $0 } == 1)
        }
    }

    @Test("M-77 A token that is refused is renewed once, and one that expired before it is used")
    func renewal() async throws {
        try await withTDX { world, tdx, _, request in
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, request)
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            tdx.believed.withLockedValue { $0 = "t2" }
            _ = try await world.services.sources.fetch("feed", of: "buses", app: world.app)
            #expect(await node.fetchDue() == 1)
            #expect(try await world.source(of: "buses").status == .ok)
            #expect(tdx.issued.withLockedValue { $0 } == 2)

            tdx.believed.withLockedValue { $0 = "t3" }
            world.time.advance(by: .seconds(86_400))
            #expect(await node.fetchDue() == 1)
            #expect(try await world.source(of: "buses").status == .ok)
            #expect(tdx.issued.withLockedValue { $0 } == 3)

            // Refused again with the new one: the fetch fails, and does not go on for ever.
            tdx.believed.withLockedValue { $0 = "none" }
            world.time.advance(by: .seconds(86_400))
            #expect(await node.fetchDue() == 1)
            #expect(try await world.source(of: "buses").state.problem == "The server answered 401.")
        }
    }

    @Test("M-77 Too many requests are paused between") func pauses() async throws {
        try await withTDX { world, tdx, outside, request in
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, request)
            tdx.pauses.withLockedValue { $0 = 3 }
            // Of this reader a wait moves the clocks.
            let reader = ContentSourceReader(
                sets: world.services.sets,
                fetcher: world.fetcher,
                vault: world.engine.context.vault,
                clock: world.time,
                timer: MovingTimer(time: world.time)
            )
            let due = DueContentSource(app: world.app, set: "buses", name: "feed")
            let start = world.time.wall
            let claimed = try #require(
                try await world.stores.contentSources.claim(
                    due,
                    as: 1,
                    at: start,
                    until: start.advanced(by: .seconds(60))
                )
            )
            guard case .imported = await reader.read(claimed) else {
                Issue.record("Nothing is imported.")
                return
            }
            // 2, 4 and 8 seconds.
            #expect(world.time.wall == start.advanced(by: .seconds(14)))
            #expect(outside.requests.count { $0.path.contains("/Stop/") } == 5)
        }
    }

    @Test("The client's secret is stored sealed, never shown, and goes with the client id") func secret() async throws {
        try await withTDX { world, _, _, request in
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, request)
            let stored = try await world.database.read { connection in
                try connection.first("SELECT secret, settings FROM content_sources LIMIT 1") { row in
                    (row.array(0), row.string(1))
                }
            }
            let (sealed, settings) = try #require(stored)
            #expect(!String(decoding: sealed, as: UTF8.self).contains("s3cret"))
            #expect(!settings.contains("s3cret"))
            let source = try await world.source(of: "buses")
            let shown = String(decoding: try JSONEncoder().encode(source), as: UTF8.self)
            #expect(!shown.contains("s3cret") && shown.contains("\"hasClientSecret\":true"))

            // Saved again without one it stays.
            var again = request
            again.clientSecret = nil
            again.interval = 900
            #expect(try await world.services.sources.put("feed", of: "buses", app: world.app, again).hasSecret)
            again.clientID = nil
            #expect(try await !world.services.sources.put("feed", of: "buses", app: world.app, again).hasSecret)
            again.clientID = "id"
            await #expect(
                throws: ContentSetError.invalid([
                    FieldError(field: "clientSecret", problem: ContentSourceRequest.secretProblem)
                ])
            ) {
                try await world.services.sources.put("feed", of: "buses", app: world.app, again)
            }
        }
    }

    @Test("A stored secret goes to no other address, and to no other client", arguments: 0..<3)
    func secretAddress(_ change: Int) async throws {
        try await withTDX { world, _, _, request in
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, request)
            var changed = request
            changed.clientSecret = nil
            switch change {
            case 0: changed.url = "http://127.0.0.1:1/bus"
            case 1: changed.tokenURL = "http://127.0.0.1:1/token"
            default: changed.clientID = "other"
            }
            let refused = ContentSetError.invalid([
                FieldError(field: "clientSecret", problem: ContentSourceRequest.secretProblem)
            ])
            await #expect(throws: refused) {
                try await world.services.sources.put("feed", of: "buses", app: world.app, changed)
            }
            // Nor when the check saw another source than the one that is stored.
            let source = ContentSource(app: world.app, set: "buses", name: "feed", request: changed)
            let stored = try await world.stores.contentSources.put(source, secret: .keep, at: world.time.wall)
            #expect(stored == .failure(refused))
            #expect(try await world.source(of: "buses").request.url == request.url)
            changed.clientSecret = "new"
            #expect(try await world.services.sources.put("feed", of: "buses", app: world.app, changed).hasSecret)
        }
    }

    @Test("An access token is for the addresses that it came from") func tokenAddress() async throws {
        try await withTDX { world, tdx, outside, request in
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, request)
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            #expect(tdx.issued.withLockedValue { $0 } == 1)
            tdx.believed.withLockedValue { $0 = "t2" }
            var moved = request
            moved.url = request.url?.replacing("127.0.0.1", with: "localhost")
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, moved)
            let count = outside.requests.count
            #expect(await node.fetchDue() == 1)
            #expect(tdx.issued.withLockedValue { $0 } == 2)
            #expect(outside.requests.dropFirst(count).allSatisfy { $0.headers[.authorization] != "Bearer t1" })
        }
    }

    @Test("M-78 A fetch that takes more than fifteen minutes fails, and so does one of more pages than are asked for")
    func endless() async throws {
        try await withTDX { world, _, outside, request in
            let page = "[" + [String](repeating: "{}", count: TDXPages.size).joined(separator: ",") + "]"
            var open = request
            (open.clientID, open.clientSecret, open.tokenURL) = (nil, nil, nil)
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, open)
            outside.set { _ in
                world.time.advance(by: .seconds(60))
                return Response(text: page)
            }
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            #expect(outside.requests.count == 15)
            #expect(try await world.source(of: "buses").state.problem == "The answers took more than 15 minutes.")

            outside.set { _ in Response(text: page) }
            world.time.advance(by: .seconds(3_600))
            #expect(await node.fetchDue() == 1)
            #expect(
                try await world.source(of: "buses").state.problem == "Stop has more than 500 pages of 1000 rows."
            )
            #expect(try await world.services.sets.set("buses", app: world.app).versions.isEmpty)
        }
    }

    @Test("M-76 Estimates of a city tell when vehicles come to the stops of a route") func estimates() async throws {
        try await withTDX { world, tdx, outside, request in
            _ = try await world.services.sources.put("feed", of: "buses", app: world.app, request)
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            // Each source has a token of its own.
            tdx.believed.withLockedValue { $0 = "t2" }
            var estimates = request
            estimates.format = .tdxArrivals
            estimates.interval = 60
            _ = try await world.services.sources.put("live", of: "buses", app: world.app, estimates)
            #expect(await node.fetchDue() == 1)
            let live = try await world.services.sources.source("live", of: "buses", app: world.app)
            #expect(live.state.problem == nil)
            let next = try await world.services.arrivals.next(route: "KHH100", of: "buses", app: world.app)
            #expect(next.realtimeAt == world.time.now())
            #expect(next.items.map(\.name) == ["站1", "站2"])
            #expect(next.items.map(\.time) == [Timestamp("2026-11-26T00:02:00Z"), nil])
            #expect(next.items.map(\.isPredicted) == [true, false])
            #expect(outside.requests.contains { $0.path.contains("$select=StopUID,RouteUID") })

            // M-66: five minutes later they are too old to be shown.
            world.time.advance(by: .seconds(301))
            let later = try await world.services.arrivals.next(route: "KHH100", of: "buses", app: world.app)
            #expect(later.items.map(\.isPredicted) == [false, false])
        }
    }
}
