import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonStore
import CarillonWebhooks
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

/// Sources that the server fetches by itself.
@Suite(.timeLimit(.minutes(5)))
struct ContentImportTests {
    private static let header = "id,name,city,tags,latitude,longitude\n"

    @Test("M-67 A source is fetched when it is due, and changes, adds and removes rows")
    func fetches() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { _ in Response(text: Self.header + "1,A,x,,,\n2,B,x,,,\n") }
            #expect(try await world.put("http://127.0.0.1:\(port)/places.csv").status == .waiting)
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            var source = try await world.source()
            #expect(source.status == .ok)
            #expect(source.nextAt == world.time.wall.advanced(by: .seconds(600)))
            #expect(try await world.rows().count == 2)

            // Not before its time.
            #expect(await node.fetchDue() == 0)
            world.time.advance(by: .seconds(600))
            outside.set { _ in Response(text: Self.header + "1,A2,x,,,\n3,C,x,,,\n") }
            #expect(await node.fetchDue() == 1)
            let run = try #require(try await world.runs().first)
            #expect(run.source == "feed")
            #expect(run.tables == [.init(name: "places", imported: 1, changed: 1, gone: 1, rows: 2)])
            source = try await world.source()
            #expect(source.state.importID == run.id)
        }
    }

    @Test("A request is conditional on what came last, and 304 leaves the rows") func conditional() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { request in
                guard request.headers[.ifNoneMatch] == "\"v1\"" else {
                    return Response(
                        text: Self.header + "1,A,x,,,\n",
                        [.eTag: "\"v1\"", .lastModified: "Thu, 26 Nov 2026 00:00:00 GMT"]
                    )
                }
                return Response(status: .notModified)
            }
            try await world.put("http://127.0.0.1:\(port)/places.csv")
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            world.time.advance(by: .seconds(600))
            #expect(await node.fetchDue() == 1)
            #expect(outside.requests[1].headers[.ifModifiedSince] == "Thu, 26 Nov 2026 00:00:00 GMT")
            #expect(try await world.runs().count == 1)
            #expect(try await world.source().status == .ok)
            #expect(world.services.figures.values.fetches == [.imported: 1, .unchanged: 1])

            // Of another definition the same file is read again.
            var definition = try await world.services.sets.set("places", app: world.app).definition
            definition.tables[0].fields.append(ContentField("more", .text))
            _ = try await world.services.sets.put("places", definition, app: world.app)
            world.time.advance(by: .seconds(600))
            #expect(await node.fetchDue() == 1)
            #expect(outside.requests[2].headers[.ifNoneMatch] == nil)
            #expect(try await world.runs().count == 2)
        }
    }

    @Test("A source's rows come back after another import of the table, though the server has nothing new")
    func otherImport() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { request in
                guard request.headers[.ifNoneMatch] == nil else { return Response(status: .notModified) }
                return Response(text: Self.header + "1,A,x,,,\n", [.eTag: "\"v1\""])
            }
            try await world.put("http://127.0.0.1:\(port)/places.csv")
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            func load(_ rows: String) async throws {
                let file = Array((Self.header + rows).utf8)
                _ = try await world.services.sets.importFile(file, .csv, table: nil, into: "places", app: world.app)
            }
            // What changes nothing needs no new fetch.
            try await load("1,A,x,,,\n")
            world.time.advance(by: .seconds(600))
            #expect(await node.fetchDue() == 1)
            #expect(outside.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
            try await load("2,B,x,,,\n")
            world.time.advance(by: .seconds(600))
            #expect(await node.fetchDue() == 1)
            #expect(outside.requests.last?.headers[.ifNoneMatch] == nil)
            #expect(try await world.rows().allSatisfy { $0.contains("\"A\"") })
            world.time.advance(by: .seconds(600))
            #expect(await node.fetchDue() == 1)
            #expect(outside.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
        }
    }

    @Test("Two sources of one table stay conditional: neither takes the other's rows for a file that was sent by hand")
    func twoSources() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { request in
                guard request.headers[.ifNoneMatch] == nil else { return Response(status: .notModified) }
                return Response(text: Self.header + "1,\(request.path.dropFirst()),x,,,\n", [.eTag: "\"v1\""])
            }
            for name in ["a", "b"] {
                var request = ContentSourceRequest(.csv, url: "http://127.0.0.1:\(port)/\(name)")
                request.interval = 600
                // A node of another version may have saved both.
                let source = ContentSource(app: world.app, set: "places", name: name, request: request)
                _ = try await world.stores.contentSources.put(source, secret: .remove, at: world.time.wall)
            }
            let node = world.node()
            #expect(await node.fetchDue() == 2)
            world.time.advance(by: .seconds(600))
            #expect(await node.fetchDue() == 2)
            #expect(outside.requests.suffix(2).map { $0.headers[.ifNoneMatch] } == ["\"v1\"", "\"v1\""])
        }
    }

    @Test("A table that is filled by hand meanwhile is no failure of its source, which is fetched again soon")
    func busy() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { _ in Response(text: Self.header + "1,A,x,,,\n") }
            try await world.put("http://127.0.0.1:\(port)/places.csv")
            let (store, start) = (world.stores.contentSets, world.time.wall)
            let run = ContentImportRun(id: .init(rawValue: 7), format: .csv, table: "places", startedAt: start)
            #expect(try await store.begin(run, of: "places", app: world.app, at: start) == nil)
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            let source = try await world.source()
            #expect(source.state.failures == 0 && source.state.problem == nil)
            #expect(source.nextAt == start.advanced(by: .seconds(60)))
            #expect(world.services.figures.values.fetches.isEmpty)
            // That import's server has died in the meantime.
            world.time.advance(by: .seconds(60))
            #expect(await node.fetchDue() == 1)
            #expect(try await world.source().status == .ok)
        }
    }

    @Test("M-78 A failing source keeps the last good rows, tells why, and pauses longer and longer")
    func failures() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { _ in Response(text: Self.header + "1,A,x,,,\n") }
            try await world.put("http://127.0.0.1:\(port)/places.csv")
            let node = world.node()
            _ = await node.fetchDue()

            outside.set { _ in Response(text: "<html>down for maintenance</html>") }
            var pauses: [Int64] = []
            for _ in 1...5 {
                world.time.advance(by: .seconds(600))
                #expect(await node.fetchDue() == 1)
                let next = try #require(try await world.source().nextAt)
                pauses.append((next.rawValue - world.time.wall.rawValue) / 1_000)
            }
            #expect(pauses == [60, 120, 240, 480, 600])
            let source = try await world.source()
            #expect(source.status == .failing)
            #expect(source.state.failures == 5)
            #expect(source.state.problem == "The file has none of the columns that the table reads.")
            #expect(try await world.rows().count == 1)
            #expect(try await world.runs().first?.state == .failed)
            _ = await node.fetchDue()
            #expect(world.services.figures.values.failingSources == 1)

            // The server asks for more than its own pause.
            outside.set { _ in Response(status: .serviceUnavailable, headers: [.retryAfter: "7200"]) }
            world.time.advance(by: .seconds(600))
            _ = await node.fetchDue()
            #expect(try await world.source().nextAt == world.time.wall.advanced(by: .seconds(7_200)))
            #expect(try await world.source().state.problem == "The server answered 503.")

            outside.set { _ in Response(text: Self.header + "1,A,x,,,\n") }
            world.time.advance(by: .seconds(7_200))
            _ = await node.fetchDue()
            #expect(try await world.source().status == .ok)
            #expect(try await world.source().state.problem == nil)
        }
    }

    @Test("Redirects are followed five times, each checked, and lose credentials at another origin")
    func redirects() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await outside.run { port in
            outside.set { request in
                switch request.path {
                case "/a": Response(status: .found, headers: [.location: "/b"])
                case "/b": Response(status: .permanentRedirect, headers: [.location: "http://localhost:\(port)/c"])
                case "/c": Response(text: "here")
                case "/loop": Response(status: .found, headers: [.location: "/loop"])
                default: Response(status: .found, headers: [.location: "file:///etc/passwd"])
                }
            }
            var fetch = ContentFetch(app: world.app, url: "http://127.0.0.1:\(port)/a", limit: 100)
            fetch.authorization = "Bearer x"
            guard case .content(let bytes, _) = await world.fetcher.fetch(fetch) else {
                Issue.record("There is no content.")
                return
            }
            #expect(String(decoding: bytes, as: UTF8.self) == "here")
            #expect(outside.requests.map { $0.headers[.authorization] } == ["Bearer x", "Bearer x", nil])
            fetch.url = "http://127.0.0.1:\(port)/loop"
            #expect(
                await world.fetcher.fetch(fetch)
                    == .failed("The address leads to more than 5 others, one after another.")
            )
            #expect(outside.requests.count == 9)
            fetch.url = "http://127.0.0.1:\(port)/file"
            guard case .failed = await world.fetcher.fetch(fetch) else {
                Issue.record("A file is no address.")
                return
            }
        }
    }

    @Test("An answer that is too large is given up, announced or not") func tooLarge() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await outside.run { port in
            outside.set { request in
                guard request.path == "/endless" else { return Response(text: String(repeating: "x", count: 101)) }
                return Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        while true { try await writer.write(ByteBuffer(repeating: 0x78, count: 65_536)) }
                    }
                )
            }
            for path in ["large", "endless"] {
                let fetch = ContentFetch(app: world.app, url: "http://127.0.0.1:\(port)/\(path)", limit: 100)
                #expect(await world.fetcher.fetch(fetch) == .failed("The answer has more than 100 bytes."))
            }
        }
    }

    @Test("Of several nodes one fetches; another takes over after the claim's end, and the late one writes nothing")
    func oneNode() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { _ in Response(text: Self.header + "1,A,x,,,\n") }
            try await world.put("http://127.0.0.1:\(port)/places.csv")
            let store = world.stores.contentSources
            let due = DueContentSource(app: world.app, set: "places", name: "feed")
            let now = world.time.wall
            let first = try #require(try await store.claim(due, as: 1, at: now, until: now.advanced(by: .seconds(60))))
            #expect(await world.node().fetchDue() == 0)
            #expect(try await store.renew(first, until: now.advanced(by: .seconds(90))))

            world.time.advance(by: .seconds(89))
            #expect(await world.node().fetchDue() == 0)
            world.time.advance(by: .seconds(1))
            #expect(await world.node().fetchDue() == 1)
            #expect(try await !store.renew(first, until: world.time.wall.advanced(by: .seconds(60))))
            var state = first.source.state
            state.failures = 9
            let next = world.time.wall
            #expect(try await !store.complete(first, state, next: next, feed: nil))
            #expect(try await world.source().status == .ok)
        }
    }

    @Test("A version that was begun earlier does not replace a later one") func lateVersion() async throws {
        let world = try await JobWorld()
        try await world.definePlaces()
        let store = world.stores.contentSets
        let table = try await world.services.sets.set("places", app: world.app).definition.tables[0]
        let (early, late) = (
            try await store.begin(table, of: "places", app: world.app, at: world.time.wall),
            try await store.begin(table, of: "places", app: world.app, at: world.time.wall)
        )
        let counts = [early: 0, late: 0]
        let now = world.time.wall
        #expect(
            try await store.publish(
                [late],
                of: "places",
                app: world.app,
                over: [:],
                rowCounts: counts,
                news: [:],
                at: now
            ) == .published
        )
        #expect(
            try await store.publish(
                [early],
                of: "places",
                app: world.app,
                over: [:],
                rowCounts: counts,
                news: [:],
                at: now
            ) == .superseded
        )
        #expect(try await world.services.sets.set("places", app: world.app).versions["places"]?.slot == late)
    }

    @Test("A paused source is not fetched, and one that is asked for is fetched soon") func pausing() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { _ in Response(text: Self.header + "1,A,x,,,\n") }
            let url = "http://127.0.0.1:\(port)/places.csv"
            #expect(try await world.put(url) { $0.isActive = false }.status == .paused)
            let node = world.node()
            world.time.advance(by: .seconds(86_400))
            #expect(await node.fetchDue() == 0)
            try await world.put(url)
            #expect(await node.fetchDue() == 1)
            _ = try await world.services.sources.fetch("feed", of: "places", app: world.app)
            #expect(await node.fetchDue() == 1)
            await #expect(throws: ContentSetError.noSource) {
                try await world.services.sources.fetch("other", of: "places", app: world.app)
            }
        }
    }

    @Test("A store that is full is asked again after a pause, not at once") func fullStore() async throws {
        let world = try await JobWorld()
        try await world.definePlaces()
        try await world.put("https://example.com/places.csv")
        let full = FailingSourceStore(store: world.stores.contentSources)
        #expect(await world.node(full).fetchDue() == 1)
        #expect(full.attempts.withLockedValue { $0 } == 1)
        #expect(try await world.source().status == .waiting)
    }

    @Test("A server that accepts and says nothing ends with the same words") func silentServer() async throws {
        let world = try await JobWorld()
        // The system accepts for it.
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(silent.localAddress?.port)
        let fetcher = HTTPContentFetcher(options: JobWorld.fetcherOptions, wholeTime: .zero)

        let answer = await fetcher.fetch(
            ContentFetch(app: world.app, url: "http://127.0.0.1:\(port)/x", limit: 1_000)
        )

        #expect(answer == .failed("No answer: it takes longer than 0 seconds."))
        try await silent.close()
    }

    @Test("A body that stops ends with the time of the fetch") func stalledBody() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await outside.run { port in
            outside.set { _ in
                Response(
                    status: .ok,
                    body: .init { writer in
                        try await writer.write(ByteBuffer(string: "id,name\n"))
                        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
                        for await _ in never {}
                        withExtendedLifetime(continuation) {}
                        try await writer.finish(nil)
                    }
                )
            }
            let fetcher = HTTPContentFetcher(options: JobWorld.fetcherOptions, wholeTime: .seconds(1))
            let answer = await fetcher.fetch(
                ContentFetch(app: world.app, url: "http://127.0.0.1:\(port)/x", limit: 1_000)
            )
            #expect(answer == .failed("No answer: it takes longer than 1 seconds."))
        }
    }

    @Test("A source is asked for the languages of the definition") func languages() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        var definition = try await world.services.sets.set("places", app: world.app).definition
        definition.language = "zh-Hant"
        definition.tables[0].fields[1].language = "en"
        _ = try await world.services.sets.put("places", definition, app: world.app)
        try await outside.run { port in
            outside.set { _ in Response(text: Self.header + "1,A,x,,,\n") }
            try await world.put("http://127.0.0.1:\(port)/places.csv")
            #expect(await world.node().fetchDue() == 1)
            #expect(outside.requests[0].headers[.acceptLanguage] == "zh-Hant, en;q=0.9")
        }
    }

    @Test("M-78 An error page with status 200 empties no table") func errorPage() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        try await world.definePlaces()
        try await outside.run { port in
            outside.set { _ in Response(text: #"[{"id":"1","name":"A"}]"#) }
            try await world.put("http://127.0.0.1:\(port)/places.json") { $0.format = .json }
            let node = world.node()
            #expect(await node.fetchDue() == 1)
            outside.set { _ in Response(text: "<html>\n<body>Sorry</body>\n</html>\n") }
            world.time.advance(by: .seconds(600))
            #expect(await node.fetchDue() == 1)
            #expect(try await world.rows().count == 1)
            let problem = try await world.source().state.problem
            #expect(problem == "The file has no record that can be read: record 1 (line 1) is no object of JSON.")
        }
    }
}
